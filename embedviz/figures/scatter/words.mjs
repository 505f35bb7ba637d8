/** Labels of a map of few points: next to the point, or at the end of a leader line. */

import { clamp } from "../web/numbers.mjs";
import { crosses, gap, meet } from "./geometry.mjs";
import { grown, startOf } from "./room.mjs";

/** @typedef {import("./geometry.mjs").Rect} Rect */
/** @typedef {{row: number, x: number, y: number, text: string, width: number, height: number, places: Rect[]}} Item a word and where it may stand, best first */
/** @typedef {{item: Item, rect: Rect, leader: [number, number] | null}} Placed */
/** @typedef {[number, number, number, number]} Line x and y of both ends */
/** @typedef {{rect: Rect, leader: [number, number], line: Line}} Led a place at the end of a line */
/**
 * @typedef {object} Ground
 * @property {number} few how few the points are, 0 to 1
 * @property {number} most words to be written
 * @property {number} reach radius of a point in pixels
 * @property {(rect: Rect) => boolean} clear whether a word may stand there
 * @property {import("./room.mjs").Occupancy} room
 * @property {Rect[]} rects of the labels
 * @property {Line[]} lines of the labels
 */

const LEADER = { least: 14, most: 150, step: 6, turns: 36 }; // pixels, and directions
const ROUNDS = 12;
const TRIALS = 1200; // words that are placed in all rounds together

/** Return the font size of the words: larger if each point has much room. @param {number} width @param {number} height @param {number} n @param {number} few */
export function wordSize(width, height, n, few) {
  return 12 + Math.round(2 * few * clamp(((width * height) / Math.max(n, 1) - 2000) / 5000, 0, 1));
}

/**
 * Return where the words stand. Each round first places the words that found no place in the round before (squeaky
 * wheel, Joslin and Clements, 1999). The round that names most words wins; if several name equally many, the one with
 * the shortest lines.
 * @param {Item[]} items @param {Ground} ground
 * @returns {Placed[]}
 */
export function fullyNamed(items, ground) {
  if (!items.length) return [];
  const near = kept((/** @type {Item} */ item) =>
    items.filter((other) => other !== item && Math.hypot(other.x - item.x, other.y - item.y) < ground.few * LEADER.most + item.width + 20),
  );
  const places = kept((/** @type {Item} */ item) => item.places.filter((rect) => tells(item, rect, near(item), ground)));
  const farther = kept((/** @type {Item} */ item) => ledPlaces(item, near(item), ground));
  let [best, worth] = [/** @type {Placed[]} */ ([]), -1];
  let order = items;
  for (let round = Math.round(clamp(TRIALS / items.length, 1, ROUNDS)); round > 0; round--) {
    const { placed, failed, drawn } = placedIn(order, places, farther, ground);
    const gain = placed.length - drawn / 1e4;
    if (gain > worth) [best, worth] = [placed, gain];
    if (!failed.length) break;
    const first = new Set(failed);
    order = [...failed, ...order.filter((item) => !first.has(item))];
  }
  return best;
}

/** Return the function with a cache, so that it computes each item once. @template T @param {(item: Item) => T} make */
function kept(make) {
  /** @type {Map<Item, T>} */
  const made = new Map();
  return (/** @type {Item} */ item) => {
    if (!made.has(item)) made.set(item, make(item));
    return made.get(item);
  };
}

/** Place the words of one round, in this order; `drawn` is the length of its lines in pixels. @param {Item[]} order @param {(item: Item) => Rect[]} places @param {(item: Item) => Led[]} farther @param {Ground} ground */
function placedIn(order, places, farther, { most, clear, room, rects, lines }) {
  const before = room.taken.slice();
  /** @type {Placed[]} */
  const placed = [];
  /** @type {Item[]} */
  const crowd = [];
  for (const item of order) {
    if (placed.length >= most) break;
    const rect = places(item).find(clear);
    if (!rect) {
      crowd.push(item);
      continue;
    }
    room.take(rect);
    placed.push({ item, rect, leader: null });
  }
  const boxes = [...rects, ...placed.map(({ rect }) => rect)];
  const across = lines.slice();
  /** @type {Item[]} */
  const failed = [];
  let drawn = 0;
  for (const item of crowd) {
    if (placed.length >= most) break;
    const found = farther(item).find(
      ({ rect, line }) =>
        room.free(grown(rect, 3, 1)) &&
        !across.some((other) => meet(line, other)) &&
        !boxes.some((other) => crosses(...line, grown(other, 1))),
    );
    if (!found) {
      failed.push(item);
      continue;
    }
    const { rect, line, leader } = found;
    room.take(rect);
    room.takeLine(...line);
    boxes.push(rect);
    across.push(line);
    drawn += Math.hypot(...leader);
    placed.push({ item, rect, leader });
  }
  room.taken.set(before);
  return { placed, failed, drawn };
}

/** Return whether a label at this place is nearest to its own point. */
function tells({ x, y }, rect, near, { few }) {
  const own = few * gap(rect, x, y);
  return near.every((other) => gap(rect, other.x, other.y) > own);
}

/** Return places at the end of a leader line that crosses no other point, nearest first. */
function ledPlaces(item, near, { few, reach, room }) {
  const { x, y, width, height } = item;
  /** @type {Led[]} */
  const found = [];
  for (let away = LEADER.least; away <= few * LEADER.most; away += LEADER.step) {
    for (let turn = 0; turn < LEADER.turns; turn++) {
      const angle = (turn % 2 ? turn + 1 : -turn) * (Math.PI / LEADER.turns); // to the right first, to the left last
      const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
      const far = away + Math.min(width / 2 / Math.max(Math.abs(ux), 1e-6), height / 2 / Math.max(Math.abs(uy), 1e-6));
      const rect = { x: x + ux * far - width / 2, y: y + uy * far - height / 2, width, height };
      if (!room.free(grown(rect, 3, 1)) || room.covered(grown(rect, 3, 1)) >= 1) continue;
      const leader = startOf(rect, x, y);
      /** @type {Line} */
      const line = [x + leader[0], y + leader[1], x, y];
      const [fromX, fromY] = [x + ux * (reach + 2), y + uy * (reach + 2)];
      const over = near.some((other) => distance(other.x, other.y, [line[0], line[1], fromX, fromY]) < few * (reach + 1.5));
      if (!over) found.push({ rect, line, leader });
    }
  }
  return found;
}

/** Return the distance from a point to a line segment. @param {number} x @param {number} y @param {Line} line */
function distance(x, y, [x0, y0, x1, y1]) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const share = clamp(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1), 0, 1);
  return Math.hypot(x - x0 - share * dx, y - y0 - share * dy);
}
