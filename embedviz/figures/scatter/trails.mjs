/** Trails of some words over the points, and the moment of the training that is shown. */

import { gap, projected } from "./geometry.mjs";
import { startOf } from "./room.mjs";
import { fontOf } from "./writing.mjs";

/** @typedef {import("./film.mjs").Trail} Trail */
/** @typedef {import("./geometry.mjs").Rect} Rect */

const SIZE = 14; // font size of the names at the heads
const HIGH = 18;
/** Opacity and width of a trail at its start and at its head: older parts are thinner and fainter. */
const [FAINT, CLEAR, THIN, WIDE] = [0.5, 0.95, 1.2, 2.6];
const START = 5; // radius of the ring at the start of a trail
const CAPTION = 14;
const REACH = 5; // radius of a point in pixels
const MOST = 5000; // on a map of more points, names do not avoid points
const LED = 16; // a name farther than this from its head, in pixels, has a line to it
/** Distances in pixels and angles at which a name may stand if there is no room at its head. @type {[number, number][]} */
const FARTHER = [26, 44, 62, 80].flatMap((far) => Array.from({ length: 12 }, (_, k) => /** @type {[number, number]} */ ([far, (k * Math.PI) / 6])));

/** @param {Rect} a @param {Rect} b */
export const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/**
 * Return where the name of each head stands: to its right, else to its left, above, below, or farther out. A name
 * avoids other names and other heads and stays in the picture; if there is a choice, it covers few points.
 * @param {[number, number][]} heads in pixels @param {number[]} widths of the names @param {{width: number, height: number, left?: number, bottom?: number}} frame
 * @param {[number, number][]} [points] in pixels
 * @returns {Rect[]}
 */
export function namesOf(heads, widths, { width: wide, height: high, left: edge = 0, bottom = 0 }, points = []) {
  /** @type {Rect[]} */
  const taken = [];
  return heads.map(([x, y], place) => {
    const width = widths[place];
    const at = (left, top) => ({ x: left, y: top, width, height: HIGH });
    const options = [at(x + 9, y - HIGH / 2), at(x - 9 - width, y - HIGH / 2), at(x - width / 2, y - 8 - HIGH), at(x - width / 2, y + 8)];
    for (const [far, turn] of FARTHER) {
      const [dx, dy] = [Math.cos(turn), Math.sin(turn)];
      options.push(at(x + dx * (far + width / 2) - width / 2, y + dy * far - HIGH / 2));
    }
    const inside = (rect) => rect.x >= edge && rect.x + rect.width <= wide && rect.y >= 0 && rect.y + rect.height <= high - bottom;
    const others = heads.filter((_, other) => other !== place).map(([ox, oy]) => ({ x: ox - 5, y: oy - 5, width: 10, height: 10 }));
    const covered = (rect) => points.filter(([px, py]) => gap(rect, px, py) < REACH).length;
    const cost = (rect) => (inside(rect) ? 0 : 10) + 0.2 * covered(rect) + taken.filter((one) => meet(rect, one)).length * 4 + others.filter((one) => meet(rect, one)).length;
    const costs = options.map(cost);
    const best = options[costs.indexOf(Math.min(...costs))];
    taken.push(best);
    return best;
  });
}

/**
 * Return the names at the heads of trails, and their rectangles.
 * @param {CanvasRenderingContext2D} context @param {{trails: Trail[], look: import("./palette.mjs").Look, frame: import("./geometry.mjs").Frame,
 *   geometry: import("./data.mjs").Geometry, place: (row: number) => [number, number], rolling?: boolean}} scene
 */
export function headsOf(context, { trails, look, frame, geometry, place, rolling }) {
  const words = trails.map(({ row }) => geometry.words.at(row));
  const heads = trails.map(({ row }) => place(row));
  context.font = fontOf(look.font, SIZE, 600);
  const own = new Set(trails.map(({ row }) => row));
  const still = trails.length && !rolling && geometry.count <= MOST;
  const points = still ? Array.from({ length: geometry.count }, (_, row) => row).filter((row) => !own.has(row)).map(place) : [];
  const rects = namesOf(heads, words.map((word) => context.measureText(word).width), frame, points);
  return trails.map(({ code }, k) => ({ word: words[k], code, head: heads[k], rect: rects[k] }));
}

/** Return the rectangle of the caption. @param {CanvasRenderingContext2D} context @param {string} caption @param {import("./palette.mjs").Look} look @returns {Rect} */
export function captionRect(context, caption, look) {
  context.font = fontOf(look.font, CAPTION, 400);
  return { x: 0, y: 0, width: context.measureText(caption).width + 12, height: 24 };
}

/** Return the function from a trail's code to its color; ink if the points have colors of their own. @param {import("./data.mjs").Paint} paint @param {string[]} colors @param {string} ink */
const colorsOf = (paint, colors, ink) => (code) => (paint.colored ? ink : colors[code % colors.length]);

/** Draw the ring at the start of a trail. @param {CanvasRenderingContext2D} context @param {[number, number]} place */
function ring(context, [x, y]) {
  context.globalAlpha = 0.9;
  context.beginPath();
  context.arc(x, y, START, 0, 2 * Math.PI);
  context.stroke();
}

/** Draw the points of the words that are named beside the trails: larger and darker than the rest, so that each name clearly has a point. @param {CanvasRenderingContext2D} context @param {import("./overlay.mjs").Scene} scene */
export function drawNamed(context, { named, trails, look, place, visible, radius }) {
  const followed = new Set(trails.map(({ row }) => row));
  for (const row of named ?? []) {
    if (followed.has(row) || !visible(row)) continue;
    const [x, y] = place(row);
    context.beginPath();
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = look.muted;
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = look.bg;
    context.stroke();
  }
}

/** Draw the lines, the rings at their starts, and the heads, below all text. @param {CanvasRenderingContext2D} context @param {import("./overlay.mjs").Scene} scene */
export function drawTrails(context, { trails, transform, geometry, paint, look, place }) {
  const { dimensions } = geometry;
  const color = colorsOf(paint, look.categorical, look.ink);
  context.lineJoin = "round";
  for (const { row, code, path } of trails) {
    context.strokeStyle = color(code);
    const count = path.length / dimensions;
    /** @type {[number, number] | null} */
    let before = null;
    for (let step = 0; step < count; step++) {
      const at = step * dimensions;
      const here = step === count - 1 ? place(row) : projected(transform, path[at], path[at + 1], dimensions > 2 ? path[at + 2] : 0);
      if (before) {
        const late = (step / (count - 1)) ** 2;
        context.globalAlpha = FAINT + (CLEAR - FAINT) * late;
        context.lineWidth = THIN + (WIDE - THIN) * late;
        context.beginPath();
        context.moveTo(...before);
        context.lineTo(...here);
        context.stroke();
      } else if (count > 1) {
        context.lineWidth = 1.25;
        ring(context, here);
      }
      before = here;
    }
  }
  context.globalAlpha = 1;
  for (const { row, code } of trails) {
    const [x, y] = place(row);
    context.beginPath();
    context.moveTo(x + 4.5, y);
    context.arc(x, y, 4.5, 0, 2 * Math.PI);
    context.fillStyle = color(code);
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = look.bg;
    context.stroke();
  }
}

/**
 * Write the names at the heads, and the caption.
 * @param {CanvasRenderingContext2D} context @param {import("./overlay.mjs").Scene} scene @param {(text: string, x: number, y: number, font: string, color: string) => void} write
 */
export function nameTrails(context, scene, write) {
  const { look, caption, paint } = scene;
  const color = colorsOf(paint, look.categorical_labels, look.ink);
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  for (const { word, code, rect, head: [x, y] } of headsOf(context, scene)) {
    if (gap(rect, x, y) > LED) {
      const [fromX, fromY] = startOf(rect, x, y);
      context.strokeStyle = color(code);
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x + fromX, y + fromY);
      context.lineTo(x, y);
      context.stroke();
    }
    write(word, rect.x, rect.y + HIGH / 2 + SIZE * 0.33, fontOf(look.font, SIZE, 600), color(code));
  }
  if (caption) write(caption, 4, 17, fontOf(look.font, CAPTION, 400), look.ink);
}
