/**
 * The placement of labels. No label covers another label, nor a colored point unless colored points lie everywhere.
 * 
 * The order is: the chosen word, the names of categories and regions, the neighbors of the chosen word, the hits of a
 * search, then words by row. Points outside a selection get no label. If few points are in view, all others get one, if
 * necessary at the end of a line, and grey points are avoided like colored points.
 */

import { mix } from "../web/numbers.mjs";
import { columnOf } from "./columns.mjs";
import { DIMMED } from "./data.mjs";
import { fewness } from "./few.mjs";
import { crosses, meet, projected, unprojected } from "./geometry.mjs";
import { xOf, yOf } from "./grid.mjs";
import { apart, atOwn, gathered, middleOf, placeName } from "./patches.mjs";
import { fitting, holds } from "./regions.mjs";
import { Occupancy, around, beside, grown, startOf } from "./room.mjs";
import { NARROW } from "./sizes.mjs";
import { fullyNamed, wordSize } from "./words.mjs";

/** @typedef {import("./geometry.mjs").Rect} Rect */
/** @typedef {import("./grid.mjs").Grid} Grid */

/**
 * @typedef {object} Label
 * @property {string} id the same for the same label after the camera has moved
 * @property {"chosen" | "name" | "region" | "neighbor" | "hit" | "word"} kind
 * @property {string} text
 * @property {number} row of the point it names, or -1
 * @property {number} code of the category that it names, or of its word's category if that has no name in the picture; else -1
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

/**
 * @typedef {object} Picture the picture in which labels are placed
 * @property {import("./data.mjs").Geometry} geometry
 * @property {import("./data.mjs").Paint} paint
 * @property {Grid} grid
 * @property {import("./geometry.mjs").Transform} transform
 * @property {{width: number, height: number, scale?: number}} frame
 * @property {number} zoom
 * @property {number} chosen row or -1
 * @property {number[]} neighbors
 * @property {number[]} hits
 * @property {Set<number> | null} [only] the only rows whose words may be written without a request; all rows without it
 * @property {import("./regions.mjs").Region[]} [regions] regions whose names are written if they fit the zoom
 * @property {Rect[]} reserved where nothing may be written
 * @property {number} [reach] radius of a point in pixels
 * @property {(text: string, size: number, weight: number) => number} measure
 */

const POINT_AREA = 25; // square pixels around a colored point
const MOST_MEMBERS = 1200; // most points of a category that place its name: more would not move it
const MOST_LOOKED = 6000; // most points in view that are considered for words
// Where colored points take more of the picture than this, labels cannot avoid them, or would leave its middle empty.
const DENSE = { category: 0.2, other: 0.08 };
const LONGEST = 130; // longest word in pixels on a map of many points: a text would lie across them
const TEXTS = 120; // with more points in view, such long words are left out

/** Place all labels of a picture. @param {Picture} picture @returns {Label[]} */
export function labelsOf(picture) {
  const sheet = new Sheet(picture);
  sheet.nameChosen();
  if (sheet.named) sheet.nameGroups();
  sheet.nameRegions();
  sheet.nameNeighbors();
  const found = sheet.nameHits();
  for (const line of sheet.lines) sheet.room.takeLine(...line);
  sheet.nameWords(found);
  return sheet.labels;
}

/** Return how many words fit a picture: more at a higher zoom. @param {number} width @param {number} height @param {number} zoom */
export function wordBudget(width, height, zoom) {
  const room = width < NARROW ? 7000 : 4400;
  return Math.round(((width * height) / room) * Math.min(Math.max(1 + 0.25 * Math.log2(zoom), 0.6), 1.8));
}

/** A picture while its labels are placed: the labels so far, and the places that are taken. */
class Sheet {
  /** @param {Picture} picture */
  constructor(picture) {
    const { geometry, paint, grid, frame, chosen, neighbors, hits, reserved, reach = 3 } = picture;
    this.picture = picture;
    this.reach = reach;
    this.room = new Occupancy(frame.width, frame.height);
    this.narrow = frame.width < NARROW;
    this.scale = frame.scale ?? 1;
    this.named = paint.kind === "category" && paint.codes !== null;
    /** @type {Label[]} */ this.labels = [];
    /** @type {Rect[]} */ this.rects = reserved.slice();
    /** @type {import("./words.mjs").Line[]} */ this.lines = [];
    /** @type {Set<number>} the categories whose names are in the picture */ this.told = new Set();
    for (const rect of reserved) this.room.take(rect);
    const { colored, shown } = countsIn(grid, paint, geometry.count);
    this.shown = shown;
    this.few = fewness(shown);
    this.dense = colored * POINT_AREA > (this.named ? DENSE.category : DENSE.other) * frame.width * frame.height;
    if (!this.dense) for (const row of grid.inside) this.count(row);
    const known = (row) => row >= 0 && row < geometry.count && this.inside(row);
    this.marked = neighbors.filter((row) => known(row) && row !== chosen);
    for (const row of [...this.marked, ...hits.filter(known)]) {
      const [x, y] = this.at(row);
      for (const [dx, dy] of [[-5, 0], [5, 0], [0, -5], [0, 5]]) this.room.dot(x + dx, y + dy);
    }
    this.chosen = known(chosen) ? chosen : -1;
    if (this.chosen < 0) return;
    const [x, y] = this.at(chosen);
    this.room.take({ x: x - 8, y: y - 8, width: 16, height: 16 });
  }

  /** A length in pixels, larger in the lecture view. @param {number} pixels */
  scaled(pixels) {
    return Math.round(this.scale * pixels);
  }

  /** Return the position of a row in the picture, in pixels. @param {number} row @returns {[number, number]} */
  at(row) {
    return [xOf(this.picture.grid, row), yOf(this.picture.grid, row)];
  }

  /** @param {number} row */
  inside(row) {
    const { grid, frame } = this.picture;
    const [x, y] = [xOf(grid, row), yOf(grid, row)];
    return x >= 0 && y >= 0 && x < frame.width && y < frame.height;
  }

  /** Add a point to the points that labels avoid, or remove it with `times` -1. @param {number} row @param {number} [times] */
  count(row, times = 1) {
    const { grid, paint: { codes } } = this.picture;
    const weight = times * (!codes || codes[row] < DIMMED ? 1 : codes[row] === DIMMED ? 0 : this.few);
    if (weight === 0) return;
    const [x, y] = [xOf(grid, row), yOf(grid, row)];
    // A point is wider than a cell: its four corners count, so that no letter touches it.
    for (const dx of [-this.reach, this.reach]) for (const dy of [-this.reach, this.reach]) this.room.dot(x + dx, y + dy, weight);
  }

  /** Write a word at its point. @param {Label["kind"]} kind @param {number} row @param {string} text @param {Rect} rect @param {number} size @param {number} weight @param {[number, number] | null} [leader] */
  write(kind, row, text, rect, size, weight, leader = null) {
    const { codes } = this.picture.paint;
    const [x, y] = this.at(row);
    this.room.take(rect);
    const code = kind === "word" && this.named && codes[row] < DIMMED && !this.told.has(codes[row]) ? codes[row] : -1;
    if (leader) this.lines.push([x + leader[0], y + leader[1], x, y]);
    this.put({ id: `w${row}`, kind, text, row, code, size, weight, leader }, rect, [x, y], this.pointOf(row), row);
  }

  /** @param {Pick<Label, "id" | "kind" | "text" | "row" | "code" | "size" | "weight" | "leader">} label @param {Rect} rect @param {[number, number]} anchor in pixels @param {[number, number, number]} point the same in data units @param {number} by */
  put(label, rect, anchor, [x, y, z], by) {
    const own = this.pointOf(by);
    this.rects.push(rect);
    this.labels.push({
      ...label,
      ...{ x, y, z, by },
      off: [x - own[0], y - own[1], z - own[2]],
      dx: rect.x - anchor[0],
      dy: rect.y - anchor[1],
      width: rect.width,
      height: rect.height,
    });
  }

  /** @param {number} row @returns {[number, number, number]} */
  pointOf(row) {
    const { points, dimensions } = this.picture.geometry;
    return [points[dimensions * row], points[dimensions * row + 1], dimensions > 2 ? points[dimensions * row + 2] : 0];
  }

  /** Place the chosen word where it covers the fewest points. */
  nameChosen() {
    const { chosen, room, picture } = this;
    if (chosen < 0) return;
    const text = picture.geometry.words.at(chosen);
    const size = this.scaled(16);
    const places = beside(...this.at(chosen), picture.measure(text, size, 600), Math.round(1.25 * size), 12).filter((rect) => room.free(rect, 1));
    const best = places.reduce((a, b) => (a && room.covered(a) <= room.covered(b) ? a : b), null);
    if (best) this.write("chosen", chosen, text, best, size, 600);
  }

  /** Return a sample of the points of each category in view, with their positions. */
  groups() {
    const { geometry, paint } = this.picture;
    const totals = new Uint32Array(256);
    for (const code of paint.codes) totals[code]++;
    const groups = paint.labels.map((_, code) => ({ rows: [], xs: [], ys: [], seen: 0, step: Math.ceil(totals[code] / MOST_MEMBERS) }));
    for (let row = 0; row < geometry.count; row++) {
      const group = groups[paint.codes[row]];
      if (!group || group.seen++ % group.step || !this.inside(row)) continue;
      const [x, y] = this.at(row);
      group.rows.push(row);
      group.xs.push(x);
      group.ys.push(y);
    }
    return groups;
  }

  /** Place the names of the categories, the largest patch first; then once more at parts that lie apart. */
  nameGroups() {
    const { width, height } = this.room;
    const radius = Math.min(Math.max(0.09 * Math.min(width, height), 24), 60);
    const groups = this.groups();
    const patches = groups.map(({ xs, ys }, code) => ({ code, patch: gathered(xs, ys, radius) })).filter(({ patch }) => patch);
    const largest = patches.toSorted((a, b) => b.patch.xs.length - a.patch.xs.length);
    for (const { code, patch } of largest) this.nameGroup(code, patch, groups, patches, false);
    for (const { code, patch } of largest) {
      const part = this.told.has(code) && !this.dense ? apart(groups[code], patch, radius) : null;
      if (part) this.nameGroup(code, part, groups, patches, true);
    }
  }

  /** Write the name of a category at a patch of it. @param {boolean} again whether the name stands at another patch already; then it gets no line */
  nameGroup(code, patch, groups, patches, again) {
    const { room, picture } = this;
    const name = picture.paint.labels[code];
    if (!name) return; // its name is hidden
    const text = again ? `${name} (also here)` : name; // else it would be taken for another category
    const size = this.scaled(this.narrow ? 14 : 16);
    const others = patches.filter((other) => other.code !== code).map((other) => other.patch);
    const found = placeName(patch, others, picture.measure(text, size, 600), Math.round(size * 1.25), room, this.rects, this.lines, this.dense);
    if (!found || (again && found.leader)) return;
    const { rect } = found;
    const leader = found.leader && !atOwn(rect, groups[code], groups.filter((_, other) => other !== code));
    const middle = groups[code].rows[middleOf(patch)];
    const [x, y] = leader ? this.at(middle) : [patch.x, patch.y]; // a line ends at a point
    if (leader) this.lines.push([rect.x + rect.width / 2, rect.y + rect.height / 2, x, y]);
    room.take(grown(rect, 4, 1));
    this.told.add(code);
    const label = { id: `n${code}${again ? "+" : ""}`, kind: /** @type {const} */ ("name"), text, row: -1, code, size, weight: 600 };
    const start = leader ? startOf(rect, x, y) : null;
    const point = unprojected(picture.transform, x, y, this.depthOf(patch.members.map((i) => groups[code].rows[i])));
    this.put({ ...label, leader: start }, rect, [x, y], point, middle);
  }

  /** Place the names of regions, coarse regions first; a region inside a named region gets no name. */
  nameRegions() {
    const { room, picture } = this;
    const { regions = [], transform, frame } = picture;
    const size = this.scaled(this.narrow ? 13 : 15);
    const high = Math.round(1.25 * size);
    /** @type {string[]} */
    const placed = [];
    for (const { id, name, at, row, radius, also = [] } of fitting(regions, transform.k, frame)) {
      if (placed.some((one) => holds(one, id))) continue;
      const [x, y] = projected(transform, at[0], at[1], at[2] ?? 0);
      if (!(x >= 0 && y >= 0 && x < frame.width && y < frame.height) || !this.inside(row)) continue;
      const width = picture.measure(name, size, 600);
      const reach = 0.5 * radius * transform.k;
      const tries = [[0, 0], [0, -reach], [0, reach], [-reach, 0], [reach, 0]].map(([dx, dy]) => ({ x: x + dx - width / 2, y: y + dy - high / 2, width, height: high }));
      const open = tries.filter((rect) => room.free(grown(rect, 6, 3)) && this.offLines(rect));
      const best = open.reduce((a, b) => (a && room.covered(a) <= room.covered(b) ? a : b), null);
      if (!best) continue;
      placed.push(id, ...also);
      room.take(grown(best, 4, 1));
      const point = /** @type {[number, number, number]} */ ([at[0], at[1], at[2] ?? 0]);
      this.put({ id: `r${id}`, kind: "region", text: name, row: -1, code: -1, size, weight: 600, leader: null }, best, [x, y], point, row);
    }
  }

  /** Return the mean depth of some rows; 0 in two dimensions. @param {number[]} rows */
  depthOf(rows) {
    const { depth } = this.picture.grid;
    return depth ? rows.reduce((sum, row) => sum + depth[row], 0) / rows.length : 0;
  }

  /**
   * Place each neighbor next to its point; neighbors without room in one column; the rest near their points where they
   * cover few points. On a phone, a neighbor whose line would be long or cross a label is not named: the list under the
   * map has it.
   */
  nameNeighbors() {
    const { room, picture } = this;
    const [size, high] = [this.scaled(13), this.scaled(16)];
    const crowded = [];
    for (const row of this.marked) {
      const text = picture.geometry.words.at(row);
      const width = picture.measure(text, size, 400);
      const place = [8, 12]
        .flatMap((away) => beside(...this.at(row), width, high, away))
        .find((rect) => room.free(grown(rect, 2, 0)) && room.covered(rect) < 1 && this.offLines(rect));
      if (place) this.write("neighbor", row, text, place, size, 400);
      else crowded.push({ row, text, width });
    }
    for (const { row, text, rect, start } of this.narrow ? [] : columnOf(crowded, picture.grid, room, this.rects)) {
      const [x, y] = this.at(row);
      this.write("neighbor", row, text, rect, size, 400, [start - x, rect.y + rect.height / 2 - y]);
    }
    const written = new Set(this.labels.map(({ row }) => row));
    for (const { row, text, width } of crowded) {
      if (written.has(row)) continue;
      const places = [8, 14, 24, 40, 60, ...(this.narrow ? [] : [90, 130, 180])].flatMap((away) => around(...this.at(row), width, high, this.scaled(away)));
      const open = places.filter((rect) => room.free(grown(rect, 1, 0)));
      const clear = open.filter((rect) => this.offLines(rect) && this.leads(rect, row));
      const cost = (/** @type {Rect} */ rect) => room.covered(rect) + Math.hypot(...startOf(rect, ...this.at(row))) / 20;
      const best = (clear.length || this.narrow ? clear : open).reduce((a, b) => (a && cost(a) <= cost(b) ? a : b), null);
      if (best) this.write("neighbor", row, text, best, size, 400, startOf(best, ...this.at(row)));
    }
  }

  /** Return whether no label's line runs through a rectangle. @param {Rect} rect */
  offLines(rect) {
    return !this.lines.some((line) => crosses(...line, grown(rect, 1, 0)));
  }

  /** Return whether the line from a place to its point crosses no label and no other line. @param {Rect} rect @param {number} row */
  leads(rect, row) {
    const [x, y] = this.at(row);
    const [dx, dy] = startOf(rect, x, y);
    /** @type {import("./words.mjs").Line} */
    const line = [x + dx, y + dy, x, y];
    return !this.rects.some((other) => crosses(...line, grown(other, 1, 0))) && !this.lines.some((other) => meet(line, other));
  }

  /** The most words that the picture gets. */
  get budget() {
    const { width, height } = this.room;
    return Math.max(Math.round(wordBudget(width, height, this.picture.zoom) / this.scale ** 2), Math.round(this.few * this.shown));
  }

  /** Place the words of a search's hits; return how many were placed. */
  nameHits() {
    const { room, picture } = this;
    const most = Math.max(this.budget / 2, 8);
    const size = this.scaled(12);
    let found = 0;
    for (const row of picture.hits) {
      if (found >= most) break;
      if (row < 0 || row >= picture.geometry.count || row === picture.chosen || !this.inside(row)) continue;
      const text = picture.geometry.words.at(row);
      const places = beside(...this.at(row), picture.measure(text, size, 400), this.scaled(15), 8);
      const place = places.find((rect) => room.free(grown(rect, 6, 3)) && room.covered(rect) < 1 && this.offLines(rect));
      if (!place) continue;
      this.write("hit", row, text, place, size, 400);
      found++;
    }
    return found;
  }

  /** Place words by row; if points are few, all words. @param {number} found how many hits have a label */
  nameWords(found) {
    const { room, few, picture, budget } = this;
    const { geometry, hits, neighbors, only } = picture;
    const { codes } = picture.paint;
    const asked = new Map([...hits.map((row) => named(row, "hit")), ...neighbors.map((row) => named(row, "neighbor"))]);
    // Where all words need labels, requested labels without a place are tried again.
    const skip = new Set([picture.chosen, ...(few > 0 ? this.labels.map(({ row }) => row) : asked.keys())]);
    const size = this.scaled(wordSize(room.width, room.height, this.shown, few));
    const clear = this.clearance();
    /** @type {import("./words.mjs").Item[]} */
    const items = [];
    let [written, looked] = [found, 0];
    for (let row = 0; row < geometry.count && written < budget && looked < MOST_LOOKED; row++) {
      if (!this.inside(row) || skip.has(row) || (only && !only.has(row)) || (codes && codes[row] === DIMMED)) continue;
      const [x, y] = this.at(row);
      if (!few && !room.free({ x: x - 8, y: y - 16, width: 16, height: 12 })) continue;
      looked++;
      const item = this.itemOf(row, size);
      if (item.width > LONGEST && (this.dense || this.shown > TEXTS)) continue;
      if (few) {
        items.push(this.sparse(item));
        continue;
      }
      const place = item.places.find((rect) => clear(rect) && room.covered(grown(rect, 3, 1)) < 1);
      if (!place) continue;
      this.write("word", row, item.text, place, size, 400);
      written++;
    }
    const ground = { few, most: budget - found, reach: this.reach, clear, room, rects: this.rects, lines: this.lines };
    for (const { item, rect, leader } of fullyNamed(items, ground)) this.write(asked.get(item.row) ?? "word", item.row, item.text, rect, size, 400, leader);
  }

  /** Return the function that tests a place for a word: it must keep a distance from other labels, smaller if points are few. @returns {(rect: Rect) => boolean} */
  clearance() {
    const { room, few } = this;
    const [across, up] = this.narrow ? [mix(12, 3, few), mix(9, 1, few)] : [mix(10, 3, few), mix(7, 1, few)];
    return (rect) => room.free(grown(rect, across, up), 0) && room.free(rect);
  }

  /** Return how far a word stands from its point. @param {number} row */
  away(row) {
    const { codes } = this.picture.paint;
    return codes && codes[row] >= DIMMED ? mix(3, 7, this.few) : 7;
  }

  /** Return a word and its possible places: above, below, right and left of its point. @param {number} row @param {number} size @returns {import("./words.mjs").Item} */
  itemOf(row, size) {
    const [x, y] = this.at(row);
    const text = this.picture.geometry.words.at(row);
    const [width, height, away] = [this.picture.measure(text, size, 400), Math.round(1.25 * size), this.away(row)];
    const place = (left, top) => ({ x: left, y: top, width, height });
    const places = [
      place(x - width / 2, y - height - away),
      place(x - width / 2, y + away),
      place(x + away + 2, y - height / 2),
      place(x - away - 2 - width, y - height / 2),
    ];
    return { row, x, y, text, width, height, places };
  }

  /** Return the item with diagonal places too, and without places that cover another point. @param {import("./words.mjs").Item} item */
  sparse(item) {
    const { room, dense } = this;
    if (!dense) this.count(item.row, -1);
    const places = [...item.places, ...beside(item.x, item.y, item.width, item.height, this.away(item.row) + 2).slice(4)];
    const clear = places.filter((rect) => room.covered(grown(rect, 3, 1)) < 1);
    if (!dense) this.count(item.row);
    return { ...item, places: clear };
  }
}

/** @param {number} row @param {Label["kind"]} kind @returns {[number, Label["kind"]]} */
function named(row, kind) {
  return [row, kind];
}

/** Return how many points in view are colored, and how many lie in the selection. @param {Grid} grid @param {import("./data.mjs").Paint} paint @param {number} n of all points */
function countsIn({ inside }, { codes, colored: all }, n) {
  let [colored, shown] = [inside.length, inside.length];
  if (codes && all < n) {
    for (const row of inside) {
      if (codes[row] >= DIMMED) colored--;
      if (codes[row] === DIMMED) shown--;
    }
  }
  return { colored, shown };
}
