/** Envelopes: bytes from the route, turned into typed arrays and words. */

import { visible } from "../web/elements.mjs";
import { boundsOf, reachOf, roomOf, spreadOf } from "./geometry.mjs";

const TYPES = { f4: Float32Array, u4: Uint32Array, u1: Uint8Array };
const decoder = new TextDecoder();

/** Error: the server no longer has the bytes, and Python has to publish them again. */
export class Missing extends Error {}

/**
 * The header and the arrays of an envelope.
 * @param {ArrayBuffer} buffer
 * @returns {{header: any, arrays: Record<string, Float32Array | Uint32Array | Uint8Array>}}
 */
export function unpack(buffer) {
  const bytes = new Uint8Array(buffer);
  if (decoder.decode(bytes.subarray(0, 4)) !== "EVZ1") throw new Error("These bytes are no map.");
  const length = new DataView(buffer).getUint32(4, true);
  const header = JSON.parse(decoder.decode(bytes.subarray(8, 8 + length)));
  const start = 8 + length;
  /** @type {Record<string, any>} */
  const arrays = {};
  for (const [name, { type, offset, length: size }] of Object.entries(header.arrays)) {
    arrays[name] = new TYPES[type](buffer, start + offset, size);
  }
  return { header, arrays };
}

/** Words as one UTF-8 blob with offsets, each decoded when it is asked for. */
export class Words {
  /** @param {Uint8Array} text @param {Uint32Array} offsets */
  constructor(text, offsets) {
    this.text = text;
    this.offsets = offsets;
  }

  get length() {
    return this.offsets.length - 1;
  }

  /** The word of a row as it is shown. @param {number} row */
  at(row) {
    return visible(decoder.decode(this.text.subarray(this.offsets[row], this.offsets[row + 1])));
  }
}

/**
 * @typedef {object} Geometry
 * @property {string} id
 * @property {number} count
 * @property {Words} words
 * @property {2 | 3} dimensions
 * @property {Float32Array} points x and y, and z in three dimensions, of each row: `dimensions` numbers per row
 * @property {Uint32Array | null} rows row of each point in its space; a word has the same row in every layout of the space
 * @property {string[]} axes titles; empty if the axes have no meaning
 * @property {Uint32Array} order a random order of the rows: its first half is a fair sample
 * @property {import("./geometry.mjs").Bounds} bounds
 * @property {number} spread area that most points take, in square data units
 * @property {Float32Array | null} frames positions of the points at several moments, one moment after the other; null if nothing moves
 * @property {number[]} moments epoch of each moment, ascending; empty if nothing moves
 */

/**
 * @typedef {object} Paint
 * @property {"plain" | "category" | "ordered" | "value"} kind
 * @property {string} title
 * @property {string[]} labels
 * @property {number} low
 * @property {number} high
 * @property {boolean} diverging
 * @property {Uint8Array | null} codes one per row; 255 is the grey rest; null for a plain map
 * @property {number} colored how many rows are not rest
 */

export const REST = 255;

/** The code with which a point outside the selection is drawn. */
export const DIMMED = 254;

/**
 * A random order of n rows, the same each time.
 * @param {number} n
 */
export function shuffled(n) {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  let state = 0x9e3779b9; // mulberry32
  for (let i = n - 1; i > 0; i--) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const j = Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * (i + 1));
    const kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  return order;
}

/** @param {ArrayBuffer} buffer @param {string} id @returns {Geometry} */
export function geometryOf(buffer, id) {
  const { header, arrays } = unpack(buffer);
  const points = /** @type {Float32Array} */ (arrays.points);
  const frames = /** @type {Float32Array | undefined} */ (arrays.frames) ?? null;
  const bounds = frames ? boundsOf(frames, header.dimensions) : roomOf(points, header.dimensions); // one extent for all moments
  if (frames && bounds.radius) bounds.reach = reachOf(frames, header.moments.length, bounds);
  return {
    id,
    count: header.count,
    words: new Words(/** @type {Uint8Array} */ (arrays.text), /** @type {Uint32Array} */ (arrays.offsets)),
    dimensions: header.dimensions,
    points,
    rows: /** @type {Uint32Array | undefined} */ (arrays.rows) ?? null,
    axes: header.axes,
    order: shuffled(header.count),
    bounds,
    spread: spreadOf(points, header.dimensions),
    frames,
    moments: header.moments ?? [],
  };
}

/** @param {ArrayBuffer} buffer @returns {Paint} */
export function paintOf(buffer) {
  const { header, arrays } = unpack(buffer);
  const codes = /** @type {Uint8Array | undefined} */ (arrays.codes) ?? null;
  let colored = header.count;
  if (codes) for (const code of codes) if (code === REST) colored--;
  return {
    kind: header.coloring,
    title: header.title,
    labels: header.labels,
    low: header.low ?? 0,
    high: header.high ?? 0,
    diverging: header.diverging ?? false,
    codes,
    colored,
  };
}

/**
 * Return the value of a code.
 * @param {Paint} paint @param {number} code
 */
export function valueOf(paint, code) {
  return paint.low + (code / 254) * (paint.high - paint.low);
}

/**
 * Fetch the bytes of an address; throw `Missing` if the server does not have them.
 * @param {string} address @param {AbortSignal} signal
 * @returns {Promise<ArrayBuffer>}
 */
export async function fetched(address, signal) {
  const answer = await fetch(address, { signal, credentials: "same-origin" });
  if (answer.status === 404) throw new Missing();
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return answer.arrayBuffer();
}
