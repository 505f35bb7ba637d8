/**
 * Which words are written where. Nothing is written over a label, nor over a colored point unless these lie everywhere.
 *
 * In order: the chosen word, the names of the categories, its neighbors, what a search found, then words as they come.
 * Points outside a selection bear neither name nor word. Where few points are in view, all others are named, if need be
 * at the end of a line, and the grey ones are covered as little as the colored ones.
 */

import { crosses, gap, unprojected } from "./geometry.mjs";
import { DIMMED } from "./data.mjs";
import { fewness, mix } from "./few.mjs";
import { xOf, yOf } from "./grid.mjs";
import { CELL, Occupancy, beside, grown, startOf } from "./room.mjs";
import { fullyNamed, wordSize } from "./words.mjs";

/** @typedef {import("./geometry.mjs").Rect} Rect */
/** @typedef {import("./grid.mjs").Grid} Grid */

/**
 * @typedef {object} Label
 * @property {string} id the same for the same label after the camera has moved
 * @property {"chosen" | "name" | "neighbor" | "hit" | "word"} kind
 * @property {string} text
 * @property {number} row of the point it names, or -1
 * @property {number} code of the category it names, or stands for where that has no name in the picture, or -1
 * @property {number} x anchor in data units
 * @property {number} y
 * @property {number} z
 * @property {number} by the row that it follows when the points move
 * @property {[number, number, number]} off from that row to the anchor, in data units
 * @property {number} dx from the anchor to the left upper corner, in pixels
 * @property {number} dy
 * @property {number} width
 * @property {number} height
 * @property {number} size of the font
 * @property {number} weight
 * @property {[number, number] | null} leader where its line begins, in pixels from the anchor; it ends at the anchor
 */

const POINT_AREA = 25; // square pixels about a colored point
const LEAST_MEMBERS = 3; // fewer points in view are no group: each bears its own word
const MOST_MEMBERS = 1200; // points of a category that are looked at: more would not move its name
// Where colored points take more of the picture than this, labels cannot avoid them, or would leave its middle empty.
const DENSE = { category: 0.2, other: 0.08 };

/**
 * The densest gathering of some points: its middle and its members, which of them and where.
 * @param {number[]} xs @param {number[]} ys @param {number} radius
 * @returns {{x: number, y: number, members: number[], xs: number[], ys: number[]}}
 */
export function patchOf(xs, ys, radius) {
  const step = Math.max(Math.floor(xs.length / 400), 1); // a sample is enough to find the middle
  let [x, y, most] = [xs[0], ys[0], -1];
  for (let i = 0; i < xs.length; i += step) {
    let near = 0;
    for (let j = 0; j < xs.length; j += step) if ((xs[i] - xs[j]) ** 2 + (ys[i] - ys[j]) ** 2 < radius ** 2) near++;
    if (near > most) [x, y, most] = [xs[i], ys[i], near];
  }
  /** @type {number[]} */
  let members = [];
  for (let round = 0; round < 4; round++) {
    members = [];
    for (let i = 0; i < xs.length; i++) if ((xs[i] - x) ** 2 + (ys[i] - y) ** 2 < radius ** 2) members.push(i);
    x = members.reduce((sum, i) => sum + xs[i], 0) / members.length;
    y = members.reduce((sum, i) => sum + ys[i], 0) / members.length;
  }
  return { x, y, members, xs: members.map((i) => xs[i]), ys: members.map((i) => ys[i]) };
}

/** @typedef {ReturnType<typeof patchOf>} Patch */

/** The member that lies nearest to the middle. @param {Patch} patch */
function middleOf({ x, y, members, xs, ys }) {
  const far = xs.map((across, i) => Math.hypot(across - x, ys[i] - y));
  return members[far.indexOf(Math.min(...far))];
}

/** The patch of a category, looked for more widely where points are sparse; null where they are too few, or each alone. */
function gathered(xs, ys, radius) {
  if (xs.length < LEAST_MEMBERS) return null;
  const patch = patchOf(xs, ys, radius);
  if (patch.xs.length >= LEAST_MEMBERS) return patch;
  const wide = patchOf(xs, ys, 2.5 * radius);
  return wide.xs.length > 1 ? wide : null;
}

/** How far a rectangle lies from the nearest of a patch's points. @param {Rect} rect @param {Patch} patch */
function gapTo(rect, patch) {
  let least = Infinity;
  for (let i = 0; i < patch.xs.length; i++) least = Math.min(least, gap(rect, patch.xs[i], patch.ys[i]));
  return least;
}

/** How many colored points lie under a line to a patch, before it reaches the patch. */
function foreign(x, y, patch, room) {
  const far = Math.hypot(x - patch.x, y - patch.y);
  const reach = Math.max(...patch.xs.map((px, i) => Math.hypot(px - patch.x, patch.ys[i] - patch.y)));
  let sum = 0;
  for (let at = reach; at < far; at += CELL) {
    const share = at / far;
    sum += room.covered({ x: patch.x + (x - patch.x) * share - 2, y: patch.y + (y - patch.y) * share - 2, width: 4, height: 4 });
  }
  return sum / 4;
}

/**
 * Where the name of a category stands: around its patch where it covers the fewest colored points and lies nearer
 * to its own patch than to any other; else farther out at the end of a line that crosses no label; else nowhere.
 * @param {Patch} patch @param {Patch[]} others @param {number} width @param {number} height
 * @param {Occupancy} room @param {Rect[]} labels @param {boolean} dense whether colored points lie everywhere
 * @returns {{rect: Rect, leader: boolean} | null}
 */
export function placeName(patch, others, width, height, room, labels, dense) {
  /** @type {{rect: Rect, leader: boolean} | null} */
  let best = null;
  let least = Infinity;
  const consider = (x, y, leader) => {
    const rect = { x: x - width / 2, y: y - height / 2, width, height };
    if (!room.free(grown(rect, 3, 1), 0)) return;
    const covered = dense ? 0 : room.covered(grown(rect, 4, 1));
    const far = Math.hypot(x - patch.x, y - patch.y);
    let cost = 5 * covered + (leader ? 24 + 0.3 * far : 0.15 * far);
    if (cost >= least) return;
    if (leader && !dense) cost += 4 * foreign(x, y, patch, room);
    if (cost >= least) return;
    if (leader) {
      if (labels.some((label) => crosses(x, y, patch.x, patch.y, grown(label, 2)))) return;
    } else if (!dense || far > 1) {
      const own = gapTo(rect, patch);
      if (own > 24 || others.some((other) => gapTo(rect, other) <= own)) return;
    }
    [best, least] = [{ rect, leader }, cost];
  };
  if (dense) consider(patch.x, patch.y, false);
  for (let turn = 0; turn < 24; turn++) {
    const [ux, uy] = [Math.cos((turn / 24) * 2 * Math.PI), Math.sin((turn / 24) * 2 * Math.PI)];
    let reach = 0;
    for (let i = 0; i < patch.xs.length; i++) {
      reach = Math.max(reach, (patch.xs[i] - patch.x) * ux + (patch.ys[i] - patch.y) * uy);
    }
    const half = Math.min(width / 2 / Math.max(Math.abs(ux), 1e-6), height / 2 / Math.max(Math.abs(uy), 1e-6));
    for (const away of [-12, -6, 0, 5, 12]) {
      const far = reach + half + 5 + away;
      if (far > 0) consider(patch.x + ux * far, patch.y + uy * far, false);
    }
    for (let away = 28; away <= 150; away += 14) {
      const far = reach + half + away;
      consider(patch.x + ux * far, patch.y + uy * far, true);
    }
  }
  return best;
}

/**
 * All labels of a picture.
 * @param {object} scene
 * @param {import("./data.mjs").Geometry} scene.geometry
 * @param {import("./data.mjs").Paint} scene.paint
 * @param {Grid} scene.grid
 * @param {import("./geometry.mjs").Transform} scene.transform
 * @param {{width: number, height: number}} scene.frame
 * @param {number} scene.zoom
 * @param {number} scene.chosen row or -1
 * @param {number[]} scene.neighbors
 * @param {number[]} scene.hits
 * @param {Rect[]} scene.reserved where nothing may be written
 * @param {number} [scene.reach] how far a point goes about its middle, in pixels
 * @param {(text: string, size: number, weight: number) => number} scene.measure
 * @returns {Label[]}
 */
export function labelsOf({ geometry, paint, grid, transform, frame, zoom, chosen, neighbors, hits, reserved, reach = 3, measure }) {
  const { width, height } = frame;
  const narrow = width < 640;
  const room = new Occupancy(width, height);
  const named = paint.kind === "category" && paint.codes !== null;
  const { points, dimensions } = geometry;
  const inside = (row) => {
    const [x, y] = [xOf(grid, row), yOf(grid, row)];
    return x >= 0 && y >= 0 && x < width && y < height;
  };
  const isChosen = chosen >= 0 && chosen < geometry.count && inside(chosen);
  /** @type {Label[]} */
  const labels = [];
  /** @type {Rect[]} */
  const rects = reserved.slice();
  /** @type {[number, number, number, number][]} */
  const lines = [];
  /** @type {Set<number>} the categories whose names are in the picture */
  const told = new Set();
  for (const rect of reserved) room.take(rect);

  const { codes } = paint;
  let [colored, shown] = [grid.inside.length, grid.inside.length];
  if (codes && paint.colored < geometry.count) {
    for (const row of grid.inside) {
      if (codes[row] >= DIMMED) colored--;
      if (codes[row] === DIMMED) shown--;
    }
  }
  const few = fewness(shown);
  const dense = colored * POINT_AREA > (named ? DENSE.category : DENSE.other) * width * height;
  /** Counts a point once more, or no longer. @type {(row: number, times?: number) => void} */
  const count = (row, times = 1) => {
    const weight = times * (!codes || codes[row] < DIMMED ? 1 : codes[row] === DIMMED ? 0 : few);
    if (weight === 0) return;
    // A point is wider than a cell: its four corners count, so that no letter touches it.
    for (const dx of [-reach, reach]) for (const dy of [-reach, reach]) room.dot(xOf(grid, row) + dx, yOf(grid, row) + dy, weight);
  };
  if (!dense) for (const row of grid.inside) count(row);
  const marked = neighbors.filter((row) => row >= 0 && row < geometry.count && row !== chosen && inside(row));
  for (const row of [...marked, ...hits.filter((hit) => hit >= 0 && hit < geometry.count && inside(hit))]) {
    for (const [dx, dy] of [[-5, 0], [5, 0], [0, -5], [0, 5]]) room.dot(xOf(grid, row) + dx, yOf(grid, row) + dy);
  }
  if (isChosen) room.take({ x: xOf(grid, chosen) - 8, y: yOf(grid, chosen) - 8, width: 16, height: 16 });

  /** @type {(kind: Label["kind"], row: number, text: string, rect: Rect, size: number, weight: number, leader?: [number, number] | null) => void} */
  const write = (kind, row, text, rect, size, weight, leader = null) => {
    room.take(rect);
    rects.push(rect);
    const code = kind === "word" && named && codes[row] < DIMMED && !told.has(codes[row]) ? codes[row] : -1;
    if (leader) lines.push([xOf(grid, row) + leader[0], yOf(grid, row) + leader[1], xOf(grid, row), yOf(grid, row)]);
    labels.push({
      id: `w${row}`,
      kind,
      text,
      row,
      code,
      x: points[dimensions * row],
      y: points[dimensions * row + 1],
      z: dimensions > 2 ? points[dimensions * row + 2] : 0,
      by: row,
      off: [0, 0, 0],
      dx: rect.x - xOf(grid, row),
      dy: rect.y - yOf(grid, row),
      width: rect.width,
      height: rect.height,
      size,
      weight,
      leader,
    });
  };

  if (isChosen) {
    const text = geometry.words.at(chosen);
    const [w, h] = [measure(text, 16, 600), 20];
    const places = beside(xOf(grid, chosen), yOf(grid, chosen), w, h, 12).filter((rect) => room.free(rect, 1));
    const best = places.reduce((a, b) => (a && room.covered(a) <= room.covered(b) ? a : b), null);
    if (best) write("chosen", chosen, text, best, 16, 600);
  }

  if (named) {
    const radius = Math.min(Math.max(0.09 * Math.min(width, height), 24), 60);
    const totals = new Uint32Array(256);
    for (const code of paint.codes) totals[code]++;
    const groups = paint.labels.map((_, code) => ({ rows: [], xs: [], ys: [], seen: 0, step: Math.ceil(totals[code] / MOST_MEMBERS) }));
    for (let row = 0; row < geometry.count; row++) {
      const group = groups[paint.codes[row]];
      if (!group || group.seen++ % group.step || !inside(row)) continue;
      group.rows.push(row);
      group.xs.push(xOf(grid, row));
      group.ys.push(yOf(grid, row));
    }
    const patches = groups.map(({ xs, ys }) => gathered(xs, ys, radius));
    const size = narrow ? 14 : 16;
    // The largest first: its name says most.
    const turns = patches.map((patch, code) => [patch, code]).filter(([patch]) => patch);
    turns.sort((a, b) => b[0].xs.length - a[0].xs.length);
    for (const [patch, code] of turns) {
      const text = paint.labels[code];
      const others = patches.filter((other, k) => other && k !== code);
      const found = placeName(patch, others, measure(text, size, 600), Math.round(size * 1.25), room, rects, dense);
      if (!found) continue;
      const { rect, leader } = found;
      const depth = grid.depth ? patch.members.reduce((sum, i) => sum + grid.depth[groups[code].rows[i]], 0) / patch.members.length : 0;
      const [x, y, z] = unprojected(transform, patch.x, patch.y, depth);
      const by = groups[code].rows[middleOf(patch)];
      const of = (axis) => (axis < dimensions ? points[dimensions * by + axis] : 0);
      if (leader) lines.push([rect.x + rect.width / 2, rect.y + rect.height / 2, patch.x, patch.y]);
      room.take(grown(rect, 4, 1));
      rects.push(rect);
      told.add(code);
      labels.push({
        id: `n${code}`,
        kind: "name",
        text,
        row: -1,
        code,
        x,
        y,
        z,
        by,
        off: [x - of(0), y - of(1), z - of(2)],
        dx: rect.x - patch.x,
        dy: rect.y - patch.y,
        width: rect.width,
        height: rect.height,
        size,
        weight: 600,
        leader: leader ? startOf(rect, patch.x, patch.y) : null,
      });
    }
  }

  const crowded = [];
  for (const row of marked) {
    const text = geometry.words.at(row);
    const w = measure(text, 13, 400);
    const place = [8, 12].flatMap((away) => beside(xOf(grid, row), yOf(grid, row), w, 16, away))
      .find((rect) => room.free(grown(rect, 2, 0)) && room.covered(rect) < 1);
    if (place) write("neighbor", row, text, place, 13, 400);
    else crowded.push({ row, text, width: w });
  }
  for (const { row, text, rect, start } of narrow ? [] : columnOf(crowded, grid, room, rects)) {
    write("neighbor", row, text, rect, 13, 400, [start - xOf(grid, row), rect.y + rect.height / 2 - yOf(grid, row)]);
  }

  const budget = Math.max(wordBudget(width, height, zoom), Math.round(few * shown));
  let found = 0;
  for (const row of hits) {
    if (found >= Math.max(budget / 2, 8)) break;
    if (row < 0 || row >= geometry.count || row === chosen || !inside(row)) continue;
    const text = geometry.words.at(row);
    const w = measure(text, 12, 400);
    const place = beside(xOf(grid, row), yOf(grid, row), w, 15, 8)
      .find((rect) => room.free(grown(rect, 6, 3)) && room.covered(rect) < 1);
    if (!place) continue;
    write("hit", row, text, place, 12, 400);
    found++;
  }

  for (const line of lines) room.takeLine(...line);
  const asked = new Map([...hits.map((row) => [row, "hit"]), ...neighbors.map((row) => [row, "neighbor"])]);
  // Where all are to be named, what was asked for and found no place is tried again.
  const skip = new Set([chosen, ...(few > 0 ? labels.map(({ row }) => row) : asked.keys())]);
  const size = wordSize(width, height, shown, few);
  const high = Math.round(1.25 * size);
  const [across, up] = narrow ? [mix(12, 3, few), mix(9, 1, few)] : [mix(10, 3, few), mix(7, 1, few)];
  const clear = (rect) => room.free(grown(rect, across, up), 0) && room.free(rect);
  /** @type {import("./words.mjs").Item[]} */
  const items = [];
  let [written, looked] = [found, 0];
  for (let row = 0; row < geometry.count && written < budget && looked < 6000; row++) {
    if (!inside(row) || skip.has(row) || (codes && codes[row] === DIMMED)) continue;
    const [x, y] = [xOf(grid, row), yOf(grid, row)];
    if (!few && !room.free({ x: x - 8, y: y - 16, width: 16, height: 12 })) continue;
    looked++;
    const text = geometry.words.at(row);
    const w = measure(text, size, 400);
    const away = paint.codes && paint.codes[row] >= DIMMED ? mix(3, 7, few) : 7;
    const places = [
      { x: x - w / 2, y: y - high - away, width: w, height: high },
      { x: x - w / 2, y: y + away, width: w, height: high },
      { x: x + away + 2, y: y - high / 2, width: w, height: high },
      { x: x - away - 2 - w, y: y - high / 2, width: w, height: high },
    ];
    if (few) {
      if (!dense) count(row, -1); // a word keeps its distance from its own point anyway
      places.push(...beside(x, y, w, high, away + 2).slice(4));
      items.push({ row, x, y, text, width: w, height: high, places: places.filter((rect) => room.covered(grown(rect, 3, 1)) < 1) });
      if (!dense) count(row);
      continue;
    }
    const place = places.find((rect) => clear(rect) && room.covered(grown(rect, 3, 1)) < 1);
    if (!place) continue;
    write("word", row, text, place, size, 400);
    written++;
  }
  for (const { item, rect, leader } of fullyNamed(items, { few, most: budget - found, reach, clear, room, rects, lines })) {
    write(asked.get(item.row) ?? "word", item.row, item.text, rect, size, 400, leader);
  }
  return labels;
}

/** How many words a picture bears: more when one looks closer. @param {number} width @param {number} height @param {number} zoom */
export function wordBudget(width, height, zoom) {
  const room = width < 640 ? 7000 : 4400;
  return Math.round(((width * height) / room) * Math.min(Math.max(1 + 0.25 * Math.log2(zoom), 0.6), 1.8));
}

/**
 * Close points' labels in one column beside them, each with its line; none where there is no room.
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

/** One column for these labels, or null. */
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
