/** Keyboard navigation on a map: from neighbor to neighbor, from class to class. */

import { meaning } from "./legend.mjs";
import { nearest } from "./grid.mjs";
import { cornerOf } from "./overlay.mjs";

/** @typedef {import("./view.mjs").View} View */

/** Go to the next neighbor, or to the next labeled word if there are no neighbors. @param {View} view @param {number} step 1 or -1 */
export function walk(view, step) {
  const { geometry, paint, neighbors } = view.state;
  const seen = neighbors.filter((row) => view.state.visible(row));
  const rows = seen.length ? seen : view.fading.rows;
  if (!geometry || !rows.length) return;
  const at = rows.indexOf(view.hovered);
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : (at + step + rows.length) % rows.length;
  view.steering.face(rows[next]);
  view.hover(rows[next]);
  const line = meaning(paint, rows[next]);
  const what = seen.length ? "neighbor" : "word";
  view.speak(`${geometry.words.at(rows[next])}${line ? `, ${line}` : ""}, ${what} ${next + 1} of ${rows.length}`);
}

/**
 * Return the member of each class nearest to the middle of the class, and how many members are drawn; classes without
 * members are left out.
 * @param {import("./data.mjs").Geometry} geometry @param {import("./data.mjs").Paint} paint @param {(row: number) => boolean} visible
 * @returns {{label: string, row: number, count: number}[]}
 */
export function middles({ points, dimensions, count }, { labels, codes }, visible) {
  const sums = labels.map(() => [0, 0, 0, 0]);
  const members = (act) => {
    for (let row = 0; row < count; row++) if (codes[row] < labels.length && visible(row)) act(row, codes[row]);
  };
  members((row, code) => {
    for (let axis = 0; axis < dimensions; axis++) sums[code][axis] += points[dimensions * row + axis];
    sums[code][3]++;
  });
  const best = labels.map(() => ({ row: -1, far: Infinity }));
  members((row, code) => {
    let far = 0;
    for (let axis = 0; axis < dimensions; axis++) far += (points[dimensions * row + axis] - sums[code][axis] / sums[code][3]) ** 2;
    if (far < best[code].far) best[code] = { row, far };
  });
  return labels.map((label, code) => ({ label, row: best[code].row, count: sums[code][3] })).filter(({ row, label }) => row >= 0 && label);
}

/** Go to the middle of the next class, or of the previous one. @param {View} view @param {number} step 1 or -1 */
export function walkClasses(view, step) {
  const { geometry, paint } = view.state;
  if (!geometry || !paint?.codes || (paint.kind !== "category" && paint.kind !== "ordered")) {
    view.speak("The map has no classes");
    return;
  }
  const classes = middles(geometry, paint, (row) => view.state.visible(row));
  if (!classes.length) return;
  const now = classes.findIndex(({ label }) => label === paint.labels[paint.codes[view.hovered]]);
  const next = now < 0 ? (step > 0 ? 0 : classes.length - 1) : (now + step + classes.length) % classes.length;
  const { label, row, count } = classes[next];
  view.steering.face(row);
  view.hover(row);
  view.speak(`${label}, ${count.toLocaleString("en-US")} ${count === 1 ? "point" : "points"}, class ${next + 1} of ${classes.length}; in its middle ${geometry.words.at(row)}`);
}

/** Return the region whose name is written under a pixel, or an empty text. @param {View} view @param {number} px @param {number} py */
export function regionAt(view, px, py) {
  const scene = view.scene(Infinity);
  const found = scene.labels.find(({ label }) => {
    if (label.kind !== "region") return false;
    const { left, top } = cornerOf(label, scene);
    return px >= left && py >= top && px <= left + label.width && py <= top + label.height;
  });
  return found ? found.label.id.slice(1) : "";
}

/** Return the row under a pixel, or -1; marked and colored points are easier to hit. @param {View} view @param {number} px @param {number} py @param {number} radius */
export function rowAt(view, px, py, radius) {
  const { geometry, paint, flight, chosen, neighbors, hits } = view.state;
  if (!geometry || !paint || (flight && !flight.bounds)) return -1;
  const { codes, kind } = paint;
  const marked = new Set([chosen, ...neighbors, ...hits]);
  const favor = (row) => (marked.has(row) ? 5 : kind === "category" && codes && codes[row] !== 255 ? 3 : 0);
  return nearest(view.located(), px, py, radius, favor);
}
