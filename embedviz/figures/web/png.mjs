/** The density of a PNG: with it, a program that prints the picture knows how large it is. */

const SIGNATURE = 8;
const HEADER = 25; // length, name, 13 bytes and checksum of the first chunk
const INCH = 0.0254; // meters

/** Return the checksum of a chunk (CRC-32, as in the PNG specification). @param {Uint8Array} bytes */
export function checksum(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Return the bytes of a PNG with this many dots per inch. @param {Uint8Array} png @param {number} dpi @returns {Uint8Array<ArrayBuffer>} */
export function withDensity(png, dpi) {
  const chunk = new Uint8Array(21);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, 9);
  chunk.set([...("pHYs")].map((letter) => letter.charCodeAt(0)), 4);
  const density = Math.round(dpi / INCH);
  view.setUint32(8, density);
  view.setUint32(12, density);
  chunk[16] = 1; // the unit is a meter
  view.setUint32(17, checksum(chunk.subarray(4, 17)));
  const at = SIGNATURE + HEADER;
  const made = new Uint8Array(png.length + chunk.length);
  made.set(png.subarray(0, at));
  made.set(chunk, at);
  made.set(png.subarray(at), at + chunk.length);
  return made;
}
