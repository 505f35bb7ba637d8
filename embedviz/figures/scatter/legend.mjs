/** The meaning of the points' colors: the bar of a scale, and the meaning of one point's color in words. */

import { valueOf } from "./data.mjs";
import { sizeSteps } from "./facets.mjs";
import { colorOf } from "./palette.mjs";
import { fontOf, write } from "./writing.mjs";

/** Return a number as text: thousands apart, a true minus, and as many decimals as its range needs. @param {number} value @param {number} span */
export function plain(value, span) {
  const digits = span >= 100 || (Number.isInteger(value) && Number.isInteger(span)) ? 0 : span >= 10 ? 1 : 2;
  const text = Math.abs(value).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return value < 0 && Number(text.replaceAll(",", "")) !== 0 ? `−${text}` : text;
}

/**
 * Return one to three round numbers within a range, away from its ends; only zero if the range has both signs.
 * @param {number} low @param {number} high
 */
export function ticksOf(low, high) {
  const span = high - low;
  if (!(span > 0)) return [];
  const within = (value) => value > low + 0.12 * span && value < high - 0.12 * span;
  if (low < 0 && high > 0) return within(0) ? [0] : [];
  const unit = 10 ** Math.floor(Math.log10(span));
  for (const step of [unit / 2, unit, 2 * unit, 5 * unit]) {
    const ticks = [];
    for (let k = Math.ceil(low / step); k * step <= high; k++) if (within(k * step)) ticks.push(Number((k * step).toPrecision(12)));
    if (ticks.length && ticks.length <= 3) return ticks;
  }
  return [];
}

const BAR = { width: 132, height: 8 };

/** Return whether a coloring is explained by a bar; the names of categories stand on the map instead. @param {import("./data.mjs").Paint} paint */
export function hasLegend(paint) {
  return paint.kind === "value" || paint.kind === "ordered";
}

/** Return the rectangle of the legend. @param {import("./geometry.mjs").Frame} frame @param {boolean} axes */
export function legendRect(frame, axes) {
  const scale = frame.scale ?? 1;
  return { x: 0, y: frame.height - (axes ? 66 : 44) * scale, width: Math.min(250 * scale, frame.width), height: 44 * scale };
}

/** Return the rectangle of the legend of sizes, to the right of the legend of colors. @param {import("./geometry.mjs").Frame} frame @param {boolean} axes @param {boolean} scaled whether there is a scale of colors */
export function sizesRect(frame, axes, scaled) {
  const { x, y, width, height } = legendRect(frame, axes);
  return { x: scaled ? x + width + 12 : x, y, width: Math.min(width, Math.max(frame.width - (scaled ? width + 12 : 0), 0)), height };
}

/** @param {CanvasRenderingContext2D} context @param {import("./overlay.mjs").Scene} scene */
export function drawLegend(context, { frame, geometry, paint, look, sized, radius }) {
  const scale = frame.scale ?? 1;
  if (sized) {
    const place = sizesRect(frame, geometry.axes.length > 0, hasLegend(paint));
    context.save();
    context.translate(place.x + (geometry.axes.length > 1 ? 26 : 2) * scale, place.y);
    context.scale(scale, scale);
    drawSizes(context, sized, radius / scale, look);
    context.restore();
  }
  if (!hasLegend(paint)) return;
  const rect = legendRect(frame, geometry.axes.length > 0);
  context.save();
  context.translate((geometry.axes.length > 1 ? 26 : 2) * scale, rect.y);
  context.scale(scale, scale);
  drawScale(context, paint, look);
  context.restore();
}

/** Draw the title of the sizes above some example points. @param {CanvasRenderingContext2D} context @param {import("./facets.mjs").Numbers} size @param {number} radius @param {import("./palette.mjs").Look} look */
function drawSizes(context, size, radius, look) {
  const small = fontOf(look.font, 12, 400);
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  write(context, `Size: ${size.title}`, 0, 13, fontOf(look.font, 13, 400), look.ink, look.bg);
  let left = 0;
  for (const { value, factor } of sizeSteps(size)) {
    const own = radius * factor;
    context.beginPath();
    context.arc(left + own, 30, own, 0, 2 * Math.PI);
    context.fillStyle = look.muted;
    context.fill();
    const text = plain(value, size.high - size.low);
    write(context, text, left + 2 * own + 5, 34, small, look.muted, look.bg);
    context.font = small;
    left += 2 * own + 5 + context.measureText(text).width + 16;
  }
}

/** Draw the title of a coloring above its scale, with the values at the ends. @param {CanvasRenderingContext2D} context @param {import("./data.mjs").Paint} paint @param {import("./palette.mjs").Look} look */
function drawScale(context, paint, look) {
  const small = fontOf(look.font, 12, 400);
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  write(context, paint.title, 0, 13, fontOf(look.font, 13, 400), look.ink, look.bg);
  const span = paint.high - paint.low;
  const ordered = paint.kind === "ordered";
  const [low, high] = ordered
    ? [paint.labels[0] ?? "", paint.labels.at(-1) ?? ""]
    : [plain(paint.low, span), plain(paint.high, span)];
  write(context, low, 0, 31, small, look.muted, look.bg);
  context.font = small;
  const left = context.measureText(low).width + 7;
  const steps = ordered ? paint.labels.length : BAR.width;
  const step = BAR.width / steps;
  for (let k = 0; k < steps; k++) {
    const code = ordered ? k : Math.round((k / (steps - 1)) * 254);
    context.fillStyle = `rgb(${colorOf(look, paint, code).join(" ")})`;
    context.fillRect(left + k * step, 23, ordered ? step - 1 : step + 0.5, BAR.height);
  }
  write(context, high, left + BAR.width + 7, 31, small, look.muted, look.bg);
  if (ordered) return;
  context.textAlign = "center";
  for (const value of ticksOf(paint.low, paint.high)) {
    const x = left + ((value - paint.low) / span) * BAR.width;
    context.fillStyle = look.ink;
    context.fillRect(x - 0.5, 21, 1, BAR.height + 4);
    write(context, value === 0 ? "0" : plain(value, span), x, 43, small, look.muted, look.bg);
  }
}

/** Return what a point's color means, in words; empty if it means nothing. @param {import("./data.mjs").Paint} paint @param {number} row */
export function meaning(paint, row) {
  if (!paint.codes) return "";
  const code = paint.codes[row];
  if (paint.kind === "value") {
    return code === 255 ? `${paint.title}: no value` : `${paint.title} ${plain(valueOf(paint, code), paint.high - paint.low)}`;
  }
  return code === 255 ? "" : (paint.labels[code] ?? "");
}
