/** Titles of the axes, and on a map with depth the directions of the axes. */

import { NARROW } from "./sizes.mjs";
import { fitted, fontOf, write } from "./writing.mjs";

/** @param {CanvasRenderingContext2D} context @param {import("./overlay.mjs").Scene} scene */
export function drawAxes(context, { frame, geometry, look, transform }) {
  const [across, up] = geometry.axes;
  if (!across) return;
  if (transform.solid) {
    drawTripod(context, frame, geometry.axes, look, transform.solid);
    return;
  }
  const font = fontOf(look.font, 13 * (frame.scale ?? 1), 400);
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  const clear = (text, x, y) => {
    context.font = font;
    const width = context.measureText(text).width + 12;
    context.fillStyle = look.bg;
    context.beginPath();
    context.rect(x - width / 2, y - 13 * (frame.scale ?? 1), width, 18 * (frame.scale ?? 1));
    context.fill(); // no point under a title
    write(context, text, x, y, font, look.muted, look.bg);
  };
  const [middle, height] = [(frame.left + frame.width - frame.right) / 2, (frame.top + frame.height - frame.bottom) / 2];
  clear(across, middle, frame.height - 6);
  if (!up) return;
  context.save();
  context.translate(13 * (frame.scale ?? 1), height);
  context.rotate(-Math.PI / 2);
  clear(up, 0, 0);
  context.restore();
}

const ARM = 34;

/** Return the rectangle of the three axes, in the lower right corner. @param {import("./geometry.mjs").Frame} frame */
export function tripodRect(frame) {
  const [width, height] = [2 * (ARM + (frame.width < NARROW ? 18 : 76)), 3 * ARM];
  return { x: frame.width - width, y: frame.height - height - 22, width, height };
}

/**
 * Draw the directions of three axes, each with the first words of its title; the whole titles stand below if there is
 * room.
 * @param {CanvasRenderingContext2D} context @param {import("./geometry.mjs").Frame} frame @param {string[]} axes
 * @param {import("./palette.mjs").Look} look @param {import("./geometry.mjs").Solid} solid
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
    context.font = fontOf(look.font, 12 * (frame.scale ?? 1), 400);
    const short = fitted(context, frame.width < NARROW ? name.split(" ").at(-1) : name, room);
    write(context, short, at, top + dy * away, context.font, look.muted, look.bg);
  }
  const whole = axes.join(" · ");
  context.font = fontOf(look.font, 13 * (frame.scale ?? 1), 400);
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  if (context.measureText(whole).width > frame.width - 16) return;
  write(context, whole, (frame.left + frame.width - frame.right) / 2, frame.height - 6, context.font, look.muted, look.bg);
}
