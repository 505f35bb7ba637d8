/** All points in pixels, sorted into cells: made once per stop of the camera, shared by hover and labels. */

/** @typedef {import("./geometry.mjs").Transform} Transform */

export const SLICE = 250_000; // points per slice
const CELL = 16;
const UNDER = 3; // a pointer within this many pixels of a point is on it
const DEPTH = 2; // pixels that one radius of depth counts

/**
 * @typedef {object} Grid
 * @property {Float32Array} screen x and y of each row in CSS pixels, interleaved; NaN for a point that is hidden or behind the camera
 * @property {Float32Array | null} depth of each row toward the reader, about -1 to 1; null in two dimensions
 * @property {number} columns
 * @property {number} rows
 * @property {Uint32Array} starts where each cell begins in `inside`
 * @property {Uint32Array} inside rows, cell by cell
 * @property {Int32Array} cells the cell of each row, or -1
 */

/**
 * Make the grid in slices, with a yield after each, so that a page with a million points stays responsive.
 * @param {Float32Array} points @param {number} stride 2 or 3 numbers per point
 * @param {Transform} at @param {number} width @param {number} height
 * @param {Grid | null} [spare] an unused grid, whose memory is used again
 * @param {Uint8Array | null} [weights] 0 for hidden rows, which get no position
 * @returns {Generator<undefined, Grid>}
 */
export function* gridding(points, stride, at, width, height, spare = null, weights = null) {
  const n = points.length / stride;
  const columns = Math.max(Math.ceil(width / CELL), 1);
  const rows = Math.max(Math.ceil(height / CELL), 1);
  const fits = spare !== null && spare.screen.length === 2 * n && (spare.depth !== null) === stride > 2;
  const screen = fits ? spare.screen : new Float32Array(2 * n);
  const depth = stride < 3 ? null : fits ? spare.depth : new Float32Array(n);
  const cells = fits ? spare.cells : new Int32Array(n);
  const starts = new Uint32Array(columns * rows + 1);
  for (let start = 0; start < n; start += SLICE) {
    const end = Math.min(start + SLICE, n);
    toScreen(points, stride, at, screen, depth, start, end);
    for (let i = start; i < end; i++) {
      if (weights?.[i] === 0) screen[2 * i] = NaN;
      const px = screen[2 * i];
      const py = screen[2 * i + 1];
      if (px >= 0 && py >= 0 && px < width && py < height) {
        const cell = ((py / CELL) | 0) * columns + ((px / CELL) | 0);
        cells[i] = cell;
        starts[cell + 1]++;
      } else cells[i] = -1;
    }
    if (end < n) yield;
  }
  for (let cell = 0; cell < columns * rows; cell++) starts[cell + 1] += starts[cell];
  const next = starts.slice();
  const inside = new Uint32Array(starts[columns * rows]);
  for (let start = 0; start < n; start += SLICE) {
    if (start) yield;
    const end = Math.min(start + SLICE, n);
    for (let i = start; i < end; i++) if (cells[i] >= 0) inside[next[cells[i]]++] = i;
  }
  return { screen, depth, columns, rows, starts, inside, cells };
}

/** The grid of a picture: made on demand, slice by slice, and made again in the same memory after points have moved. */
export class Location {
  /** @param {(spare: Grid | null) => Generator<undefined, Grid>} make */
  constructor(make) {
    this.make = make;
    /** @type {Grid | null} */ this.grid = null;
    /** @type {Grid | null} */ this.spare = null;
    /** @type {Generator<undefined, Grid> | null} */ this.slices = null;
  }

  /** Forget the grid, because the points have moved on the screen. */
  forget() {
    this.spare = this.grid ?? this.spare;
    [this.grid, this.slices] = [null, null];
  }

  /** Make one more slice; return whether the grid is complete. */
  proceed() {
    if (this.grid) return true;
    this.slices ??= this.make(this.spare);
    const { done, value } = this.slices.next();
    if (!done) return false;
    [this.grid, this.slices, this.spare] = [/** @type {Grid} */ (value), null, null];
    return true;
  }

  whole() {
    while (!this.proceed());
    return this.grid;
  }
}

/** @param {Grid} grid @param {number} row */
export function xOf(grid, row) {
  return grid.screen[2 * row];
}

/** @param {Grid} grid @param {number} row */
export function yOf(grid, row) {
  return grid.screen[2 * row + 1];
}

/**
 * Fill `screen`, and `depth` if there is one, for the points from `start` to before `end`.
 * @param {Float32Array} points @param {number} stride @param {Transform} at
 * @param {Float32Array} screen @param {Float32Array | null} depth @param {number} [start] @param {number} [end]
 */
export function toScreen(points, stride, at, screen, depth, start = 0, end = points.length / stride) {
  const [ax, ay, az, a1] = at.across;
  const [dx, dy, dz, d1] = at.down;
  const [wx, wy, wz, w1] = at.away;
  for (let i = start, p = start * stride; i < end; i++, p += stride) {
    const x = points[p];
    const y = points[p + 1];
    if (stride < 3) {
      screen[2 * i] = ax * x + a1;
      screen[2 * i + 1] = dy * y + d1;
      continue;
    }
    const z = points[p + 2];
    const away = wx * x + wy * y + wz * z + w1;
    const before = away > 0 ? away : NaN;
    screen[2 * i] = (ax * x + ay * y + az * z + a1) / before;
    screen[2 * i + 1] = (dx * x + dy * y + dz * z + d1) / before;
    if (depth) depth[i] = (1 - away) * at.deep;
  }
}

/**
 * Return the row nearest to a pixel within a radius, or -1; of rows right under the pixel, the front-most. `favor`
 * makes some rows count as nearer, in pixels.
 * @param {Grid} grid @param {number} px @param {number} py @param {number} radius @param {(row: number) => number} favor
 */
export function nearest(grid, px, py, radius, favor = () => 0) {
  const left = Math.max(Math.floor((px - radius) / CELL), 0);
  const right = Math.min(Math.floor((px + radius) / CELL), grid.columns - 1);
  const top = Math.max(Math.floor((py - radius) / CELL), 0);
  const bottom = Math.min(Math.floor((py + radius) / CELL), grid.rows - 1);
  const { screen, depth } = grid;
  let [best, least] = [-1, Infinity];
  for (let row = top; row <= bottom; row++) {
    for (let column = left; column <= right; column++) {
      const cell = row * grid.columns + column;
      for (let k = grid.starts[cell]; k < grid.starts[cell + 1]; k++) {
        const i = grid.inside[k];
        const distance = Math.hypot(screen[2 * i] - px, screen[2 * i + 1] - py);
        if (distance > radius) continue;
        const cost = (depth ? Math.max(distance, UNDER) - DEPTH * depth[i] : distance) - favor(i);
        if (cost < least || (cost === least && i < best)) [best, least] = [i, cost];
      }
    }
  }
  return best;
}
