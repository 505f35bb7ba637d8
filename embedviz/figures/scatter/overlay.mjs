/** What is drawn over the points: rings, lines, labels, axis titles, the legend bar. Takes any 2-D canvas. */

import { colorOf } from "./palette.mjs";
import { valueOf } from "./data.mjs";
import { projected } from "./geometry.mjs";
import { drawTrails, headsOf, meet, nameTrails } from "./trails.mjs";

/** @typedef {import("./labels.mjs").Label} Label */
/** @typedef {import("./palette.mjs").Look} Look */

/** @param {string} font @param {number} size @param {number} weight */
export function fontOf(font, size, weight) {
  return `${weight} ${size}px ${font}`;
}

/** A number as a reader writes it: thousands apart, a true minus, as many decimals as its range needs. @param {number} value @param {number} span */
export function plain(value, span) {
  const digits = span >= 100 || (Number.isInteger(value) && Number.isInteger(span)) ? 0 : span >= 10 ? 1 : 2;
  const text = Math.abs(value).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return value < 0 && Number(text.replaceAll(",", "")) !== 0 ? `−${text}` : text;
}

/**
 * @typedef {object} Scene
 * @property {import("./geometry.mjs").Transform} transform
 * @property {import("./geometry.mjs").Frame} frame
 * @property {import("./data.mjs").Geometry} geometry
 * @property {import("./data.mjs").Paint} paint
 * @property {Look} look
 * @property {(row: number) => [number, number]} place where a row stands in the picture, in pixels
 * @property {(row: number) => [number, number, number]} point where it stands in the data
 * @property {number} chosen
 * @property {number[]} neighbors
 * @property {number[]} hits
 * @property {import("./film.mjs").Trail[]} [trails]
 * @property {string} [caption] which moment is shown
 * @property {boolean} [rolling] whether the points are on their way
 * @property {{label: Label, opacity: number}[]} labels
 */

/** @param {CanvasRenderingContext2D} context @param {Scene} scene */
export function drawOverlay(context, scene) {
  const { frame, geometry, look, chosen, neighbors, hits } = scene;
  const { count } = geometry;
  const x = (row) => scene.place(row)[0];
  const y = (row) => scene.place(row)[1];
  const known = (row) => row >= 0 && row < count;
  context.save();
  context.lineJoin = "round";
  drawAxes(context, scene);
  if (scene.trails?.length) drawTrails(context, scene);

  if (known(chosen)) {
    context.strokeStyle = look.ink;
    context.globalAlpha = 0.35;
    context.lineWidth = 1;
    context.beginPath();
    for (const row of neighbors.filter(known)) {
      context.moveTo(x(chosen), y(chosen));
      context.lineTo(x(row), y(row));
    }
    context.stroke();
    context.globalAlpha = 1;
  }
  if (hits.length) {
    const side = hits.length > 60 ? 5 : 7; // open squares, so that a point's own color stays in sight
    context.beginPath();
    for (const row of hits) if (known(row)) context.rect(x(row) - side / 2, y(row) - side / 2, side, side);
    for (const [width, color] of /** @type {[number, string][]} */ ([[3, look.bg], [1.25, look.ink]])) {
      context.lineWidth = width;
      context.strokeStyle = color;
      context.stroke();
    }
  }
  context.lineWidth = 1.25;
  context.strokeStyle = look.ink;
  context.beginPath();
  for (const row of neighbors) {
    if (!known(row)) continue;
    context.moveTo(x(row) + 4, y(row));
    context.arc(x(row), y(row), 4, 0, 2 * Math.PI);
  }
  context.stroke();
  if (known(chosen)) {
    const disc = (radius) => {
      context.beginPath();
      context.arc(x(chosen), y(chosen), radius, 0, 2 * Math.PI);
    };
    disc(6);
    context.fillStyle = look.bg;
    context.fill();
    context.lineWidth = 2.5;
    context.stroke();
    disc(2.5);
    context.fillStyle = look.ink;
    context.fill();
  }

  for (const { label, opacity } of scene.labels) {
    if (!label.leader) continue;
    const [ax, ay] = anchor(label, scene);
    context.globalAlpha = opacity * (label.kind === "name" ? 1 : 0.6);
    context.strokeStyle = colorOfLabel(label, look);
    context.lineWidth = label.kind === "name" ? 1.25 : 1;
    context.beginPath();
    context.moveTo(ax + label.leader[0], ay + label.leader[1]);
    context.lineTo(ax, ay);
    context.stroke();
  }
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  /** Where something is written already: points on their way take their labels along until these are placed anew. */
  const taken = scene.rolling ? headsOf(context, { trails: [], ...scene }).map(({ rect }) => rect) : [];
  for (const { label, opacity } of scene.labels) {
    const [ax, ay] = anchor(label, scene);
    if (scene.rolling) {
      const rect = { x: ax + label.dx, y: ay + label.dy, width: label.width, height: label.height };
      if (label.kind === "word" && taken.some((one) => meet(one, rect))) continue;
      taken.push(rect);
    }
    const [left, base] = [ax + label.dx, ay + label.dy + label.height / 2 + label.size * 0.33];
    if (left > frame.width || left + label.width < 0 || base < 0 || base > frame.height + 20) continue;
    context.globalAlpha = opacity;
    write(context, label.text, left, base, fontOf(look.font, label.size, label.weight), colorOfLabel(label, look), look.bg);
  }
  context.globalAlpha = 1;
  nameTrails(context, { trails: [], caption: "", ...scene }, (text, left, base, font, color) => write(context, text, left, base, font, color, look.bg));
  drawLegend(context, scene);
  context.restore();
}

/** Where a label hangs, in pixels. @param {Label} label @param {Scene} scene */
function anchor({ by, off }, { transform, point }) {
  const [x, y, z] = point(by);
  return projected(transform, x + off[0], y + off[1], z + off[2]);
}

/** @param {Label} label @param {Look} look */
function colorOfLabel(label, look) {
  if (label.code >= 0) return look.categorical_labels[label.code % look.categorical_labels.length];
  return label.kind === "word" ? look.muted : look.ink;
}

/** Text with a halo of 4 pixels in the page's color. */
function write(context, text, x, y, font, color, halo) {
  context.font = font;
  context.lineWidth = 4;
  context.strokeStyle = halo;
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene */
function drawAxes(context, { frame, geometry, look, transform }) {
  const [across, up] = geometry.axes;
  if (!across) return;
  if (transform.solid) {
    drawTripod(context, frame, geometry.axes, look, transform.solid);
    return;
  }
  const font = fontOf(look.font, 13, 400);
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  const [middle, height] = [(frame.left + frame.width - frame.right) / 2, (frame.top + frame.height - frame.bottom) / 2];
  write(context, across, middle, frame.height - 6, font, look.muted, look.bg);
  if (!up) return;
  context.save();
  context.translate(13, height);
  context.rotate(-Math.PI / 2);
  write(context, up, 0, 0, font, look.muted, look.bg);
  context.restore();
}

const ARM = 34;

/** Where the three axes stand: in the right lower corner. @param {import("./geometry.mjs").Frame} frame */
export function tripodRect(frame) {
  const [width, height] = [2 * (ARM + (frame.width < 640 ? 18 : 76)), 3 * ARM];
  return { x: frame.width - width, y: frame.height - height - 22, width, height };
}

/**
 * The directions of three axes, each with the first words of its title, and the whole titles below where there is room.
 * @param {CanvasRenderingContext2D} context @param {import("./geometry.mjs").Frame} frame @param {string[]} axes
 * @param {Look} look @param {import("./geometry.mjs").Solid} solid
 */
function drawTripod(context, frame, axes, look, { right, up }) {
  const { x, y, width, height } = tripodRect(frame);
  const [left, top] = [x + width / 2, y + height / 2];
  context.textBaseline = "middle";
  for (const [axis, title] of axes.slice(0, 3).entries()) {
    const [dx, dy] = [right[axis] * ARM, -up[axis] * ARM];
    const length = Math.hypot(dx, dy);
    context.strokeStyle = look.muted;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(left, top);
    context.lineTo(left + dx, top + dy);
    context.stroke();
    if (length < 10) continue; // it points at the reader
    const away = 1 + 6 / length;
    context.textAlign = dx > 4 ? "left" : dx < -4 ? "right" : "center";
    const name = title.split(" (")[0];
    const at = left + dx * away;
    const room = { left: x + width - at, right: at - x, center: width }[context.textAlign];
    context.font = fontOf(look.font, 12, 400);
    const short = fitted(context, frame.width < 640 ? name.split(" ").at(-1) : name, room);
    write(context, short, at, top + dy * away, context.font, look.muted, look.bg);
  }
  const whole = axes.join(" · ");
  context.font = fontOf(look.font, 13, 400);
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  if (context.measureText(whole).width > frame.width - 16) return;
  write(context, whole, (frame.left + frame.width - frame.right) / 2, frame.height - 6, context.font, look.muted, look.bg);
}

/** The text, or as many of its first letters as the room has. @param {CanvasRenderingContext2D} context @param {string} text @param {number} room */
function fitted(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && context.measureText(`${letters.join("")}…`).width > room) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}

const BAR = { width: 132, height: 8 };

/** Whether a coloring is explained by a bar: names of categories stand on the map instead. @param {import("./data.mjs").Paint} paint */
export function hasLegend(paint) {
  return paint.kind === "value" || paint.kind === "ordered";
}

/** Where the legend stands. @param {import("./geometry.mjs").Frame} frame @param {boolean} axes */
export function legendRect(frame, axes) {
  return { x: 0, y: frame.height - (axes ? 66 : 44), width: Math.min(250, frame.width), height: 44 };
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene */
function drawLegend(context, { frame, geometry, paint, look }) {
  if (!hasLegend(paint)) return;
  const { y } = legendRect(frame, geometry.axes.length > 0);
  const x = geometry.axes.length > 1 ? 26 : 2;
  const small = fontOf(look.font, 12, 400);
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  write(context, paint.title, x, y + 13, fontOf(look.font, 13, 400), look.ink, look.bg);
  const span = paint.high - paint.low;
  const ordered = paint.kind === "ordered";
  const [low, high] = ordered
    ? [paint.labels[0] ?? "", paint.labels.at(-1) ?? ""]
    : [plain(paint.low, span), plain(paint.high, span)];
  write(context, low, x, y + 31, small, look.muted, look.bg);
  context.font = small;
  const left = x + context.measureText(low).width + 7;
  const steps = ordered ? paint.labels.length : BAR.width;
  const step = BAR.width / steps;
  for (let k = 0; k < steps; k++) {
    const code = ordered ? k : Math.round((k / (steps - 1)) * 254);
    context.fillStyle = `rgb(${colorOf(look, paint, code).join(" ")})`;
    context.fillRect(left + k * step, y + 23, ordered ? step - 1 : step + 0.5, BAR.height);
  }
  write(context, high, left + BAR.width + 7, y + 31, small, look.muted, look.bg);
  const zero = -paint.low / span;
  if (!ordered && zero > 0.05 && zero < 0.95) {
    context.fillStyle = look.ink;
    context.fillRect(left + zero * BAR.width - 0.5, y + 21, 1, BAR.height + 4);
    context.textAlign = "center";
    write(context, "0", left + zero * BAR.width, y + 43, small, look.muted, look.bg);
  }
}

/** What a point's color says, in words; empty when it says nothing. @param {import("./data.mjs").Paint} paint @param {number} row */
export function meaning(paint, row) {
  if (!paint.codes) return "";
  const code = paint.codes[row];
  if (paint.kind === "value") {
    return code === 255 ? `${paint.title}: no value` : `${paint.title} ${plain(valueOf(paint, code), paint.high - paint.low)}`;
  }
  return code === 255 ? "" : (paint.labels[code] ?? "");
}
