/** All points in pixels, sorted into cells: made once a camera stop, shared by hover and labels. */

/** @typedef {import("./geometry.mjs").Transform} Transform */

const CELL = 16;

/**
 * @typedef {object} Grid
 * @property {Float32Array} x pixels, by row
 * @property {Float32Array} y
 * @property {Float32Array} screen x and y of each row in CSS pixels, by turns
 * @property {number} columns
 * @property {number} rows
 * @property {Uint32Array} starts where each cell begins in `inside`
 * @property {Uint32Array} inside rows, cell by cell
 */

/**
 * @param {Float32Array} points @param {Transform} at @param {number} width @param {number} height
 * @returns {Grid}
 */
export function gridOf(points, at, width, height) {
  const n = points.length / 2;
  const columns = Math.max(Math.ceil(width / CELL), 1);
  const rows = Math.max(Math.ceil(height / CELL), 1);
  const x = new Float32Array(n);
  const y = new Float32Array(n);
  const screen = new Float32Array(2 * n);
  const cells = new Int32Array(n);
  const starts = new Uint32Array(columns * rows + 1);
  for (let i = 0; i < n; i++) {
    const px = (x[i] = at.x + at.k * points[2 * i]);
    const py = (y[i] = at.y - at.k * points[2 * i + 1]);
    screen[2 * i] = px;
    screen[2 * i + 1] = py;
    if (px >= 0 && py >= 0 && px < width && py < height) {
      const cell = ((py / CELL) | 0) * columns + ((px / CELL) | 0);
      cells[i] = cell;
      starts[cell + 1]++;
    } else cells[i] = -1;
  }
  for (let cell = 0; cell < columns * rows; cell++) starts[cell + 1] += starts[cell];
  const next = starts.slice();
  const inside = new Uint32Array(starts[columns * rows]);
  for (let i = 0; i < n; i++) if (cells[i] >= 0) inside[next[cells[i]]++] = i;
  return { x, y, screen, columns, rows, starts, inside };
}

/**
 * The row nearest to a pixel within a radius, or -1. `favor` makes some rows count as nearer, in pixels.
 * @param {Grid} grid @param {number} px @param {number} py @param {number} radius @param {(row: number) => number} favor
 */
export function nearest(grid, px, py, radius, favor = () => 0) {
  const left = Math.max(Math.floor((px - radius) / CELL), 0);
  const right = Math.min(Math.floor((px + radius) / CELL), grid.columns - 1);
  const top = Math.max(Math.floor((py - radius) / CELL), 0);
  const bottom = Math.min(Math.floor((py + radius) / CELL), grid.rows - 1);
  let [best, least] = [-1, Infinity];
  for (let row = top; row <= bottom; row++) {
    for (let column = left; column <= right; column++) {
      const cell = row * grid.columns + column;
      for (let k = grid.starts[cell]; k < grid.starts[cell + 1]; k++) {
        const i = grid.inside[k];
        const distance = Math.hypot(grid.x[i] - px, grid.y[i] - py);
        if (distance > radius) continue;
        const cost = distance - favor(i);
        if (cost < least || (cost === least && i < best)) [best, least] = [i, cost];
      }
    }
  }
  return best;
}
