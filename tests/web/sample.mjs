/** Made-up maps for the tests of the modules: the same numbers each time. */

import { shuffled } from "../../embedviz/figures/scatter/data.mjs";
import { boundsOf, homeOf, spreadOf, transformOf } from "../../embedviz/figures/scatter/geometry.mjs";
import { Location, gridding } from "../../embedviz/figures/scatter/grid.mjs";
import { labelsOf } from "../../embedviz/figures/scatter/labels.mjs";

export const REST = 255;

/** Numbers between 0 and 1, and normal ones. */
export function dice(seed) {
  let state = seed || 1;
  const uniform = () => (state = (state * 16807) % 2147483647) / 2147483647;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

export function geometryOf(points, dimensions = 2, more = {}) {
  const count = points.length / dimensions;
  const words = { length: count, at: (row) => `word${row}` };
  const shape = { bounds: boundsOf(points, dimensions), spread: spreadOf(points, dimensions) };
  return { id: "g", count, words, dimensions, points, rows: null, axes: [], order: shuffled(count), frames: null, moments: [], ...shape, ...more };
}

export function paintOf(kind, codes, labels = []) {
  const colored = codes ? codes.filter((code) => code !== REST).length : Infinity;
  return { kind, title: "groups", labels, codes, colored, low: 0, high: 1, diverging: false };
}

/** Three gatherings of points and a grey cloud; the first word lies alone in the middle of the right edge. */
export function figure(n = 400, seed = 3) {
  const { uniform, normal } = dice(seed);
  const points = Float32Array.from({ length: 2 * n }, () => 20 * uniform() - 10);
  const codes = new Uint8Array(n).fill(REST);
  points.set([10, 0]);
  for (const [code, [x, y]] of [[-6, 6], [5, 5], [-5, -6]].entries()) {
    for (let row = 1 + 20 * code; row < 21 + 20 * code; row++) {
      points.set([x + 0.4 * normal(), y + 0.4 * normal()], 2 * row);
      codes[row] = code;
    }
  }
  return { geometry: geometryOf(points), paint: paintOf("category", codes, ["Animals", "Music", "Food and drink"]) };
}

/** Some words and two groups among them: one of three points, one of a single point; the first two are neighbors. */
export function few(n, kind = "category", seed = 4) {
  const { normal } = dice(seed);
  const points = Float32Array.from({ length: 2 * n }, normal);
  points.set([points[0] + 0.02, points[1] + 0.02], 2);
  for (const row of [3, 4]) points.set([points[4] + 0.1 * normal(), points[5] + 0.1 * normal()], 2 * row);
  const codes = new Uint8Array(n).fill(REST);
  codes.set([0, 0, 0, 1], 2);
  const values = Uint8Array.from({ length: n }, (_, row) => Math.floor((row * 254) / n));
  const paint = kind === "category" ? paintOf(kind, codes, ["Animals", "Medicine"]) : paintOf(kind, values);
  return { geometry: geometryOf(points), paint };
}

export function gridOf(points, stride, at, width, height) {
  return new Location((spare) => gridding(points, stride, at, width, height, spare)).whole();
}

/** The labels of a map, each with its rectangle and its line. */
export function laidOut({ geometry, paint }, chosen = -1, neighbors = [], size = { width: 800, height: 500 }) {
  const frame = { ...size, left: 20, right: 20, top: 20, bottom: 20 };
  const transform = transformOf(homeOf(geometry.bounds), geometry.bounds, frame);
  const grid = gridOf(geometry.points, 2, transform, size.width, size.height);
  const measure = (text, size) => text.length * size * 0.5;
  const labels = labelsOf({ geometry, paint, grid, transform, frame, zoom: 1, chosen, neighbors, hits: [], reserved: [], measure });
  const rects = labels.map(({ x, y, dx, dy, width, height }) => {
    return { x: transform.x + transform.k * x + dx, y: transform.y - transform.k * y + dy, width, height };
  });
  const lines = labels.map(({ leader, dx, dy }, i) => {
    const [x, y] = [rects[i].x - dx, rects[i].y - dy];
    return leader && [x + leader[0], y + leader[1], x, y];
  });
  return { labels, rects, lines, grid };
}

/** Whether two rectangles share a pixel. */
export function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
