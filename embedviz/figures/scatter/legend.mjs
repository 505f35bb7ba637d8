/** What the colors of the points mean: the bar of a scale, and one point's in words. */

import { valueOf } from "./data.mjs";
import { colorOf } from "./palette.mjs";
import { fontOf, write } from "./writing.mjs";

/** A number as a reader writes it: thousands apart, a true minus, as many decimals as its range needs. @param {number} value @param {number} span */
export function plain(value, span) {
  const digits = span >= 100 || (Number.isInteger(value) && Number.isInteger(span)) ? 0 : span >= 10 ? 1 : 2;
  const text = Math.abs(value).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return value < 0 && Number(text.replaceAll(",", "")) !== 0 ? `−${text}` : text;
}

const BAR = { width: 132, height: 8 };

/** Whether a coloring is explained by a bar: names of categories stand on the map instead. @param {import("./data.mjs").Paint} paint */
export function hasLegend(paint) {
  return paint.kind === "value" || paint.kind === "ordered";
}

/** Where the legend stands. @param {import("./geometry.mjs").Frame} frame @param {boolean} axes */
export function legendRect(frame, axes) {
  const scale = frame.scale ?? 1;
  return { x: 0, y: frame.height - (axes ? 66 : 44) * scale, width: Math.min(250 * scale, frame.width), height: 44 * scale };
}

/** @param {CanvasRenderingContext2D} context @param {import("./overlay.mjs").Scene} scene */
export function drawLegend(context, { frame, geometry, paint, look }) {
  if (!hasLegend(paint)) return;
  const scale = frame.scale ?? 1;
  const rect = legendRect(frame, geometry.axes.length > 0);
  context.save();
  context.translate((geometry.axes.length > 1 ? 26 : 2) * scale, rect.y);
  context.scale(scale, scale);
  drawScale(context, paint, look);
  context.restore();
}

/** The title of a coloring over its scale, with the values at the ends. @param {CanvasRenderingContext2D} context @param {import("./data.mjs").Paint} paint @param {import("./palette.mjs").Look} look */
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
  const zero = -paint.low / span;
  if (!ordered && zero > 0.05 && zero < 0.95) {
    context.fillStyle = look.ink;
    context.fillRect(left + zero * BAR.width - 0.5, 21, 1, BAR.height + 4);
    context.textAlign = "center";
    write(context, "0", left + zero * BAR.width, 43, small, look.muted, look.bg);
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
