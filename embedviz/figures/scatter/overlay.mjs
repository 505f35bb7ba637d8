/** What is drawn over the points: rings, lines, labels, axis titles, the legend bar. Takes any 2-D canvas. */

import { drawAxes, tripodRect } from "./axes.mjs";
import { projected, roomAround } from "./geometry.mjs";
import { drawLegend, hasLegend, legendRect, sizesRect } from "./legend.mjs";
import { captionRect, drawNamed, drawTrails, headsOf, meet, nameTrails } from "./trails.mjs";
import { fontOf, write } from "./writing.mjs";

const GUEST = 14; // font size of a guest's name in pixels
const RING = { least: 3.5, most: 6.5 }; // radius in pixels of a dashed ring: smaller if points lie close together

/** @typedef {import("./labels.mjs").Label} Label */
/** @typedef {import("./palette.mjs").Look} Look */

/**
 * A word drawn on the map that is not part of it. `about` is its tooltip, and `far` whether it is far from all words
 * drawn.
 * @typedef {{word: string, at: number[], about?: string, far?: boolean}} Guest
 */

/**
 * @typedef {object} Scene
 * @property {import("./geometry.mjs").Transform} transform
 * @property {import("./geometry.mjs").Frame} frame
 * @property {import("./data.mjs").Geometry} geometry
 * @property {import("./data.mjs").Paint} paint
 * @property {Look} look
 * @property {(row: number) => [number, number]} place position of a row in the picture, in pixels
 * @property {(row: number) => [number, number, number]} point position of a row in the data
 * @property {number} chosen
 * @property {number[]} neighbors
 * @property {number[]} hits
 * @property {number[]} strangers near the chosen row on the map, but not in the space
 * @property {Guest[]} [guests] words drawn on the map that are not part of it
 * @property {import("./film.mjs").Trail[]} trails
 * @property {Set<number> | null} named rows without a color that have a larger point than the rest
 * @property {string} caption which moment is shown
 * @property {(row: number) => boolean} visible whether a row is a point that is not hidden
 * @property {import("./facets.mjs").Numbers | null} sized the numbers that are the sizes of the points
 * @property {number} radius of a point of the usual size
 * @property {boolean} rolling whether the points are on their way
 * @property {{label: Label, opacity: number}[]} labels
 */

/** @param {CanvasRenderingContext2D} context @param {Scene} scene */
export function drawOverlay(context, scene) {
  context.save();
  context.lineJoin = "round";
  drawAxes(context, scene);
  drawNamed(context, scene);
  drawTrails(context, scene);
  drawMarks(context, scene);
  drawLeaders(context, scene);
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  drawLabels(context, scene);
  context.globalAlpha = 1;
  drawGuests(context, scene);
  nameTrails(context, scene, (text, left, base, font, color) => write(context, text, left, base, font, color, scene.look.bg));
  drawLegend(context, scene);
  context.restore();
}

/**
 * Return the rectangles where no label may stand: legend, axis titles, tools, guests, and what is written about trails.
 * @param {CanvasRenderingContext2D} context @param {Scene} scene @param {number} wide width of the tools in pixels @param {number} high
 * @returns {import("./geometry.mjs").Rect[]}
 */
export function reservedOf(context, scene, wide, high) {
  const { frame, geometry, paint, caption, look } = scene;
  const axes = geometry.axes.length;
  const reserved = [];
  if (hasLegend(paint)) reserved.push(legendRect(frame, axes > 0));
  if (scene.sized) reserved.push(sizesRect(frame, axes > 0, hasLegend(paint)));
  const title = 22 * (frame.scale ?? 1);
  if (axes) reserved.push({ x: 0, y: frame.height - title, width: frame.width, height: title });
  if (geometry.dimensions > 2 && axes) reserved.push(tripodRect(frame));
  else if (axes > 1) reserved.push({ x: 0, y: 0, width: title, height: frame.height });
  if (wide) reserved.push({ x: frame.width - wide - 8, y: 0, width: wide + 8, height: high + 8 });
  for (const [word, x, y] of placesOf(scene)) {
    context.font = fontOf(look.font, GUEST, 600);
    reserved.push({ x: x - 8, y: y - 9, width: 18 + context.measureText(word).width, height: 18 });
  }
  if (caption) reserved.push(captionRect(context, caption, look));
  for (const { rect, head: [x, y] } of headsOf(context, scene)) reserved.push(rect, { x: x - 5, y: y - 5, width: 10, height: 10 });
  return reserved;
}

/** Return each guest and its position in pixels, and whether it is far from all words drawn. @param {Pick<Scene, "guests" | "transform">} scene @returns {[string, number, number, boolean][]} */
function placesOf({ guests = [], transform }) {
  return guests.map(({ word, at: [x, y, z = 0], far = false }) => [word, ...projected(transform, x, y, z), far]);
}

/** Return the guest whose diamond is under a pixel, with its position in pixels; null for none. @param {Pick<Scene, "guests" | "transform">} scene @param {number} px @param {number} py @param {number} radius @returns {{guest: Guest, x: number, y: number} | null} */
export function guestAt(scene, px, py, radius) {
  const away = placesOf(scene).map(([, x, y], index) => ({ guest: scene.guests[index], x, y, far: Math.hypot(x - px, y - py) }));
  return away.filter(({ far }) => far <= radius).sort((one, other) => one.far - other.far)[0] ?? null;
}

/** Draw a diamond and a name for each guest; dashed and thin if it is far from all words drawn. @param {CanvasRenderingContext2D} context @param {Scene} scene */
function drawGuests(context, scene) {
  const { look } = scene;
  for (const [word, x, y, far] of placesOf(scene)) {
    context.beginPath();
    context.moveTo(x, y - 6);
    context.lineTo(x + 6, y);
    context.lineTo(x, y + 6);
    context.lineTo(x - 6, y);
    context.closePath();
    Object.assign(context, { fillStyle: look.bg, strokeStyle: far ? look.muted : look.ink, lineWidth: 1.75 });
    context.fill();
    context.setLineDash(far ? [2.5, 2] : []);
    context.stroke();
    context.setLineDash([]);
    write(context, word, x + 10, y + 5, fontOf(look.font, GUEST, far ? 400 : 600), far ? look.muted : look.ink, look.bg);
  }
}

/** Draw lines to the neighbors, squares around hits, rings around neighbors and the chosen word, dashed rings around strangers. @param {CanvasRenderingContext2D} context @param {Scene} scene */
function drawMarks(context, { look, chosen, neighbors, hits, strangers, place, visible: known }) {
  const [near, found, strange] = [neighbors, hits, strangers].map((rows) => rows.filter(known).map(place));
  const middle = known(chosen) ? place(chosen) : null;
  if (middle) {
    Object.assign(context, { strokeStyle: look.ink, globalAlpha: 0.35, lineWidth: 1 });
    context.beginPath();
    for (const [x, y] of near) {
      context.moveTo(...middle);
      context.lineTo(x, y);
    }
    context.stroke();
    context.globalAlpha = 1;
  }
  if (found.length) {
    const side = hits.length > 60 ? 5 : 7; // open squares, so that a point's own color stays in sight
    context.beginPath();
    for (const [x, y] of found) context.rect(x - side / 2, y - side / 2, side, side);
    for (const [lineWidth, strokeStyle] of [[3, look.bg], [1.25, look.ink]]) {
      Object.assign(context, { lineWidth, strokeStyle });
      context.stroke();
    }
  }
  Object.assign(context, { lineWidth: 1.25, strokeStyle: look.ink });
  context.beginPath();
  for (const [x, y] of near) {
    context.moveTo(x + 4, y);
    context.arc(x, y, 4, 0, 2 * Math.PI);
  }
  context.stroke();
  context.setLineDash([2.5, 2]);
  const radius = roomAround(strange, RING);
  for (const [lineWidth, strokeStyle] of [[radius < RING.most ? 2 : 3, look.bg], [1.25, look.ink]]) {
    Object.assign(context, { lineWidth, strokeStyle });
    for (const [x, y] of strange) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.stroke();
    }
  }
  context.setLineDash([]);
  if (middle) drawChosen(context, ...middle, look);
}

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {Look} look */
function drawChosen(context, x, y, look) {
  const disc = (radius, fillStyle) => {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = fillStyle;
    context.fill();
  };
  disc(6, look.bg);
  context.lineWidth = 2.5;
  context.stroke();
  disc(2.5, look.ink);
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene */
function drawLeaders(context, scene) {
  for (const { label, opacity } of scene.labels) {
    if (!label.leader) continue;
    const [ax, ay] = anchor(label, scene);
    context.globalAlpha = opacity * (label.kind === "name" ? 1 : 0.6);
    context.strokeStyle = colorOfLabel(label, scene.look);
    context.lineWidth = label.kind === "name" ? 1.25 : 1;
    context.beginPath();
    context.moveTo(ax + label.leader[0], ay + label.leader[1]);
    context.lineTo(ax, ay);
    context.stroke();
  }
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene */
function drawLabels(context, scene) {
  const { frame, look, rolling } = scene;
  /** Places with text: moving points carry their labels with them until these are placed again. */
  const taken = rolling ? headsOf(context, scene).map(({ rect }) => rect) : [];
  for (const { label, opacity } of scene.labels) {
    const [ax, ay] = anchor(label, scene);
    if (rolling) {
      const rect = { x: ax + label.dx, y: ay + label.dy, width: label.width, height: label.height };
      if (label.kind === "word" && taken.some((one) => meet(one, rect))) continue;
      taken.push(rect);
    }
    const [left, base] = [ax + label.dx, ay + label.dy + label.height / 2 + label.size * 0.33];
    if (left > frame.width || left + label.width < 0 || base < 0 || base > frame.height + 20) continue;
    context.globalAlpha = opacity;
    write(context, label.text, left, base, fontOf(look.font, label.size, label.weight), colorOfLabel(label, look), look.bg);
  }
}

/** Return the anchor of a label, in pixels. @param {Label} label @param {Scene} scene */
function anchor({ by, off }, { transform, point }) {
  const [x, y, z] = point(by);
  return projected(transform, x + off[0], y + off[1], z + off[2]);
}

/** Return the upper left corner of a label, in pixels. @param {Label} label @param {Scene} scene */
export function cornerOf(label, scene) {
  const [x, y] = anchor(label, scene);
  return { left: x + label.dx, top: y + label.dy };
}

/** @param {Label} label @param {Look} look */
function colorOfLabel(label, look) {
  if (label.code >= 0) return look.categorical_labels[label.code % look.categorical_labels.length];
  return label.kind === "word" ? look.muted : look.ink;
}
