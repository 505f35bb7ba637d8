/** Arithmetic, and numbers as text. */

/** @param {number} value @param {number} low @param {number} high */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/** @param {number} from @param {number} to @param {number} share 0 to 1 */
export function mix(from, to, share) {
  return from + (to - from) * share;
}

/** Return a number with `digits` decimals, a true minus, and no minus before zero. @param {number} value @param {number} [digits] */
export function decimal(value, digits = 2) {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** Return the bytes of a base64 text. @param {string} text */
export function bytesOf(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes;
}
