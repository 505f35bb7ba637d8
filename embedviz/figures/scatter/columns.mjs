/** Labels of close points, in one column next to them. */

import { crosses } from "./geometry.mjs";
import { xOf, yOf } from "./grid.mjs";

/** @typedef {import("./geometry.mjs").Rect} Rect */
/** @typedef {import("./grid.mjs").Grid} Grid */
/** @typedef {import("./room.mjs").Occupancy} Occupancy */

/**
 * Return the labels of close points in one column beside them, each with a line to its point; empty if there is no
 * room.
 * @param {{row: number, text: string, width: number}[]} items @param {Grid} grid @param {Occupancy} room @param {Rect[]} rects
 * @returns {{row: number, text: string, rect: Rect, start: number}[]} `start` is where the line begins, left or right of the text
 */
export function columnOf(items, grid, room, rects) {
  if (!items.length) return [];
  const [{ row: first }] = items;
  const near = items.filter(({ row }) => Math.hypot(xOf(grid, row) - xOf(grid, first), yOf(grid, row) - yOf(grid, first)) < 100);
  for (let most = near.length; most > 0; most -= 2) {
    const column = tried(near.slice(0, most), grid, room, rects);
    if (column) return column;
  }
  return [];
}

/** Return these labels in one column, or null if there is no room. */
function tried(items, grid, room, rects) {
  const close = items.toSorted((a, b) => yOf(grid, a.row) - yOf(grid, b.row));
  const step = 17;
  const width = Math.max(...close.map((item) => item.width));
  const xs = close.map(({ row }) => xOf(grid, row));
  const middle = close.reduce((sum, { row }) => sum + yOf(grid, row), 0) / close.length;
  for (const away of [22, 34, 46, 58, 72]) {
    for (const side of [1, -1]) {
      const x = side > 0 ? Math.max(...xs) + away : Math.min(...xs) - away - width;
      for (const shift of [0, -12, 12, -24, 24, -40, 40]) {
        const top = middle - (step * close.length) / 2 + shift;
        const column = { x: x - 3, y: top, width: width + 6, height: step * close.length };
        if (!room.free(column) || room.covered(column) >= 1) continue;
        const placed = close.map((item, k) => ({
          ...item,
          start: side > 0 ? x - 3 : x + width + 3,
          rect: { x: side > 0 ? x : x + width - item.width, y: top + step * k, width: item.width, height: 16 },
        }));
        const clear = placed.every(({ row, rect, start }) =>
          rects.every((other) => !crosses(start, rect.y + 8, xOf(grid, row), yOf(grid, row), other)),
        );
        if (clear) return placed;
      }
    }
  }
  return null;
}
