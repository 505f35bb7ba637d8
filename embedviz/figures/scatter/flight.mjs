/** Points that fly from one layout of their words to the next. */

import { toScreen } from "./grid.mjs";
import { unprojected } from "./geometry.mjs";

/** @typedef {import("./data.mjs").Geometry} Geometry */
/** @typedef {import("./geometry.mjs").Transform} Transform */

/**
 * @typedef {object} Flight
 * @property {Float32Array} from x, y, z and opacity at the start, 4 numbers per row
 * @property {number} share how far it is, 0 to 1
 * @property {number} [since] when it began
 * @property {number} [ms] how long it takes
 * @property {import("./geometry.mjs").Bounds} [bounds] at the start, where the map moves within one layout
 */
/** @typedef {{geometry: Geometry, screen: Float32Array, depth: Float32Array, opacity: (row: number) => number}} Departure a layout as it was last drawn */

export const FLIGHT_MS = 600;
export const MOST_FLYING = 300_000; // with more points, the new layout appears without a flight
const MOST_TABLE = 20_000_000;
const COMPARED = 64;

/** Return a share eased: slow, fast, slow. @param {number} share 0 to 1 */
export function eased(share) {
  return share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2;
}

/**
 * Return for each row of `after` the row of `before` with the same word, or -1; null if the two have no word in common.
 * Rows of different spaces mean different words, so some of the words are compared.
 * @param {Geometry} before @param {Geometry} after
 * @returns {Int32Array | null}
 */
export function partners(before, after) {
  if (!before.rows || !after.rows) return null;
  const place = placesOf(before.rows);
  const found = new Int32Array(after.count);
  let [shared, same, compared] = [0, 0, 0];
  const step = Math.max(Math.floor(after.count / COMPARED), 1);
  for (let i = 0; i < after.count; i++) {
    const j = (found[i] = place(after.rows[i]));
    if (j < 0) continue;
    if (shared++ % step) continue;
    compared++;
    if (before.words.at(j) === after.words.at(i)) same++;
  }
  return compared && same > 0.9 * compared ? found : null;
}

/** @param {Uint32Array} rows @returns {(row: number) => number} where a row of the space lies, or -1 */
function placesOf(rows) {
  let most = 0;
  for (const row of rows) if (row > most) most = row;
  if (most < MOST_TABLE) {
    const table = new Int32Array(most + 1).fill(-1);
    for (let i = 0; i < rows.length; i++) table[rows[i]] = i;
    return (row) => table[row] ?? -1;
  }
  const table = new Map();
  for (let i = 0; i < rows.length; i++) table.set(rows[i], i);
  return (row) => table.get(row) ?? -1;
}

/** Return the present position of a flying row, in data units. @param {Flight} flight @param {number} row @param {[number, number, number]} to @returns {[number, number, number]} */
export function onTheWay({ from, share }, row, to) {
  const at = (axis) => from[4 * row + axis] + (to[axis] - from[4 * row + axis]) * share;
  return [at(0), at(1), at(2)];
}

/**
 * Return the present positions of all flying points, `stride` numbers per row.
 * @param {Pick<Flight, "from" | "share">} flight @param {Geometry} geometry @param {number} [stride]
 */
export function blended({ from, share }, { points, dimensions, count }, stride = 3) {
  const now = new Float32Array(stride * count);
  for (let i = 0; i < count; i++) {
    for (let axis = 0; axis < stride; axis++) {
      const to = axis < dimensions ? points[dimensions * i + axis] : 0;
      now[stride * i + axis] = from[4 * i + axis] + (to - from[4 * i + axis]) * share;
    }
  }
  return now;
}

/**
 * Return the start of a movement within one layout: the present position of each point, even during another movement.
 * @param {Geometry} geometry @param {Flight | null} flight
 * @returns {Float32Array} 4 numbers per row
 */
export function standingOf(geometry, flight) {
  const { points, dimensions, count } = geometry;
  const from = new Float32Array(4 * count);
  for (let i = 0; i < count; i++) {
    for (let axis = 0; axis < dimensions; axis++) from[4 * i + axis] = points[dimensions * i + axis];
    from[4 * i + 3] = 1;
  }
  if (!flight) return from;
  const { from: before, share } = flight;
  for (let k = 0; k < from.length; k++) from[k] = before[k] + (from[k] - before[k]) * share;
  return from;
}

/**
 * Return a layout as it is seen now, even during a flight.
 * @param {Geometry} geometry @param {Transform} at @param {Flight | null} flight
 * @returns {Departure}
 */
export function departureOf(geometry, at, flight) {
  const screen = new Float32Array(2 * geometry.count);
  const depth = new Float32Array(geometry.count);
  const [points, stride] = flight ? [blended(flight, geometry), 3] : [geometry.points, geometry.dimensions];
  toScreen(points, stride, at, screen, depth);
  const opacity = flight ? (row) => flight.from[4 * row + 3] * (1 - flight.share) + flight.share : () => 1;
  return { geometry, screen, depth, opacity };
}

/**
 * Return the start of a flight. Each word begins where it was last seen on the screen, whatever the cameras and scales
 * of the two layouts. A new word begins at its own position, invisible.
 * @param {Departure} departure @param {Geometry} geometry @param {Transform} at of the new layout @param {Int32Array} partner
 * @returns {Float32Array}
 */
export function beginningOf(departure, geometry, at, partner) {
  const { points, dimensions, count } = geometry;
  const from = new Float32Array(4 * count);
  for (let i = 0; i < count; i++) {
    const j = partner[i];
    const seen = j >= 0 && !Number.isNaN(departure.screen[2 * j]);
    if (seen) {
      from.set(unprojected(at, departure.screen[2 * j], departure.screen[2 * j + 1], departure.depth[j]), 4 * i);
      from[4 * i + 3] = departure.opacity(j);
    } else {
      for (let axis = 0; axis < dimensions; axis++) from[4 * i + axis] = points[dimensions * i + axis];
    }
  }
  return from;
}
