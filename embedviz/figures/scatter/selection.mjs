/** Selections: find the points in a drawn shape, and write a selection as bytes. */

import { DIMMED } from "./data.mjs";

/** @typedef {import("./grid.mjs").Grid} Grid */
/** @typedef {import("./geometry.mjs").Rect} Rect */

/**
 * @typedef {object} Selection
 * @property {string} id names it between browser and Python
 * @property {string} of the geometry's id
 * @property {Uint8Array} mask 1 for each selected row
 * @property {number} count
 * @property {boolean} [drawn] whether it was drawn on this page
 */

export const MOST_INDICES = 5000;
const [INSIDE, EDGE] = [1, 2];

/**
 * Return a closed polygon on a grid of pixels: 1 where the pixel's middle lies inside, 2 where an edge passes, else 0.
 * The inside of a line that crosses itself follows the nonzero rule.
 * @param {ArrayLike<number>} polygon x0, y0, x1, y1 … in pixels @param {number} width @param {number} height
 */
export function rasterised(polygon, width, height) {
  const cells = new Uint8Array(width * height);
  /** @type {[number, number][][]} */
  const crossings = Array.from({ length: height }, () => []);
  for (const [x0, y0, x1, y1] of edgesOf(polygon)) {
    const [low, high] = [Math.min(y0, y1), Math.max(y0, y1)];
    const slope = (x1 - x0) / (y1 - y0);
    for (let row = Math.max(Math.ceil(low - 0.5), 0); row < Math.min(Math.ceil(high - 0.5), height); row++) {
      crossings[row].push([x0 + (row + 0.5 - y0) * slope, y1 > y0 ? 1 : -1]);
    }
  }
  crossings.forEach((row, y) => {
    row.sort((a, b) => a[0] - b[0]);
    let winding = 0;
    for (let k = 0; k + 1 < row.length; k++) {
      winding += row[k][1];
      if (!winding) continue;
      const from = Math.max(Math.ceil(row[k][0] - 0.5), 0);
      const to = Math.min(Math.ceil(row[k + 1][0] - 0.5), width);
      if (from < to) cells.fill(INSIDE, y * width + from, y * width + to);
    }
  });
  for (const edge of edgesOf(polygon)) markEdge(cells, width, height, edge);
  return cells;
}

/** @param {ArrayLike<number>} polygon @returns {Generator<[number, number, number, number]>} */
function* edgesOf(polygon) {
  const n = polygon.length;
  for (let k = 0; k < n; k += 2) yield [polygon[k], polygon[k + 1], polygon[(k + 2) % n], polygon[(k + 3) % n]];
}

/** Mark every pixel that an edge passes. */
function markEdge(cells, width, height, [x0, y0, x1, y1]) {
  const [low, high] = [Math.min(y0, y1), Math.max(y0, y1)];
  const across = (y) => (y1 === y0 ? x0 : x0 + ((Math.min(Math.max(y, low), high) - y0) / (y1 - y0)) * (x1 - x0));
  for (let row = Math.max(Math.floor(low), 0); row <= Math.min(Math.floor(high), height - 1); row++) {
    const ends = y1 === y0 ? [x0, x1] : [across(row), across(row + 1)];
    const from = Math.max(Math.floor(Math.min(...ends) - 1e-4), 0);
    const to = Math.min(Math.floor(Math.max(...ends) + 1e-4), width - 1);
    if (from <= to) cells.fill(EDGE, row * width + from, row * width + to + 1);
  }
}

/** Return whether a polygon winds around a point. @param {ArrayLike<number>} polygon @param {number} x @param {number} y */
export function encloses(polygon, x, y) {
  let winding = 0;
  for (const [x0, y0, x1, y1] of edgesOf(polygon)) {
    const side = (x1 - x0) * (y - y0) - (x - x0) * (y1 - y0);
    if (y0 <= y && y1 > y && side > 0) winding++;
    else if (y0 > y && y1 <= y && side < 0) winding--;
  }
  return winding !== 0;
}

/**
 * Return the rows in view that a polygon encloses. Only points in pixels that an edge passes are tested against the
 * polygon.
 * @param {ArrayLike<number>} polygon @param {Grid} grid @param {number} width @param {number} height
 */
export function rowsWithin(polygon, grid, width, height) {
  const [wide, high] = [Math.ceil(width), Math.ceil(height)];
  const cells = rasterised(polygon, wide, high);
  const { screen, inside } = grid;
  /** @type {number[]} */
  const rows = [];
  for (let k = 0; k < inside.length; k++) {
    const row = inside[k];
    const [x, y] = [screen[2 * row], screen[2 * row + 1]];
    const cell = cells[(y | 0) * wide + (x | 0)];
    if (cell === INSIDE || (cell === EDGE && encloses(polygon, x, y))) rows.push(row);
  }
  return rows;
}

/** Return the rows in view inside a rectangle. @param {Rect} rect @param {Grid} grid */
export function rowsInBox(rect, { screen, inside }) {
  const [right, bottom] = [rect.x + rect.width, rect.y + rect.height];
  /** @type {number[]} */
  const rows = [];
  for (let k = 0; k < inside.length; k++) {
    const row = inside[k];
    const [x, y] = [screen[2 * row], screen[2 * row + 1]];
    if (x >= rect.x && x <= right && y >= rect.y && y <= bottom) rows.push(row);
  }
  return rows;
}

/**
 * Return the mask after rows were selected: as a new selection, added to the old one, or removed from it.
 * @param {Uint8Array | null} mask @param {ArrayLike<number>} rows @param {"new" | "add" | "take"} how @param {number} n
 * @returns {{mask: Uint8Array, count: number}}
 */
export function combined(mask, rows, how, n) {
  const made = how !== "new" && mask ? mask.slice() : new Uint8Array(n);
  const value = how === "take" ? 0 : 1;
  for (let k = 0; k < rows.length; k++) made[rows[k]] = value;
  return { mask: made, count: counted(made) };
}

/** Return how many rows a mask selects. @param {Uint8Array} mask */
export function counted(mask) {
  let count = 0;
  for (let row = 0; row < mask.length; row++) count += mask[row];
  return count;
}

/** Return one bit per row, the lowest bit of a byte first. @param {Uint8Array} mask */
export function bitsOf(mask) {
  const bits = new Uint8Array((mask.length + 7) >> 3);
  for (let row = 0; row < mask.length; row++) bits[row >> 3] |= mask[row] << (row & 7);
  return bits;
}

/** @param {Uint8Array} bits @param {number} n how many rows */
export function maskOf(bits, n) {
  const mask = new Uint8Array(n);
  for (let row = 0; row < n; row++) mask[row] = (bits[row >> 3] >> (row & 7)) & 1;
  return mask;
}

/** @param {Uint8Array} bytes */
export function base64Of(bytes) {
  const parts = [];
  for (let k = 0; k < bytes.length; k += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(k, k + 0x8000)));
  return btoa(parts.join(""));
}

/** Encode the selection for Python: rows if there are few, bits if there are many. @param {Selection} selection */
export function messageOf({ id, of, mask, count }) {
  if (count > MOST_INDICES) return { id, of, count, bits: base64Of(bitsOf(mask)) };
  /** @type {number[]} */
  const indices = [];
  for (let row = 0; row < mask.length; row++) if (mask[row]) indices.push(row);
  return { id, of, count, indices };
}

/**
 * Return the coloring that is drawn: rows outside the selection get the code `DIMMED`, all others keep their code. The
 * highest code of a value equals `DIMMED`, so it is lowered by one; the two colors look the same.
 * @param {import("./data.mjs").Paint} paint @param {Uint8Array | null} mask @returns {import("./data.mjs").Paint}
 */
export function drawable(paint, mask) {
  if (!mask && (paint.kind !== "value" || !paint.codes)) return paint;
  const codes = new Uint8Array(mask ? mask.length : paint.codes.length);
  let colored = 0;
  for (let row = 0; row < codes.length; row++) {
    const own = paint.codes ? paint.codes[row] : 0;
    const code = mask && !mask[row] ? DIMMED : own === DIMMED ? DIMMED - 1 : own;
    codes[row] = code;
    if (code < DIMMED) colored++;
  }
  return { ...paint, codes, colored };
}
