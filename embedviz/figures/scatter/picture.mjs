/** The map as a picture for a slide: twice the size, with its title, its space, its count and its badge. */

import { drawOverlay, fontOf } from "./overlay.mjs";

const TIMES = 2;
/** Pixels about the map. */
export const EDGE = 24;

/** @typedef {{title?: string, space?: string, count?: string, badge?: string}} Note what is written above the map */

/** The height of what is written above the map. @param {Note} note */
export function headOf(note) {
  return (note.title ? 34 : 0) + (note.badge ? 28 : 0) + (note.title || note.badge ? 8 : 0);
}

/** Title, space, count and badge. @param {any} context a canvas's, or one that writes SVG @param {import("./view.mjs").View} view @param {Note} note */
export function drawHead(context, view, note) {
  const { look } = view;
  const serif = getComputedStyle(view.root).getPropertyValue("--st-heading-font").trim() || '"Source Serif", serif';
  context.textBaseline = "alphabetic";
  let y = EDGE;
  if (note.title) {
    context.font = fontOf(serif, 24, 600);
    context.fillStyle = look.ink;
    context.fillText(note.title, EDGE, y + 22);
    const right = EDGE + context.measureText(note.title).width + 14;
    context.font = fontOf(look.font, 14, 400);
    context.fillStyle = look.muted;
    context.fillText([note.space, note.count].filter(Boolean).join(" · "), right, y + 22);
    y += 34;
  }
  if (note.badge) {
    context.font = fontOf(look.font, 14, 400);
    context.fillStyle = look.ink;
    context.fillText(note.badge, EDGE, y + 17);
  }
}

/**
 * The points at twice the size. Drawn and copied in one task: the browser may clear a WebGL canvas after it.
 * @param {import("./view.mjs").View} view
 */
export function drawnPoints(view) {
  const { under, painter, width, tall } = view;
  const canvas = document.createElement("canvas");
  const kept = [under.width, under.height];
  [canvas.width, canvas.height] = [under.width, under.height] = [width * TIMES, tall * TIMES];
  painter.draw({ ...view.sketch(1), ratio: TIMES });
  canvas.getContext("2d").drawImage(under, 0, 0);
  [under.width, under.height] = kept;
  view.drawPoints(1);
  return canvas;
}

/**
 * The picture on a canvas of its own.
 * @param {import("./view.mjs").View} view @param {Note} note
 * @returns {HTMLCanvasElement}
 */
export function pictureOf(view, note) {
  view.land();
  const { look, width, tall } = view;
  const head = headOf(note);
  const canvas = document.createElement("canvas");
  canvas.width = (width + 2 * EDGE) * TIMES;
  canvas.height = (tall + head + 2 * EDGE) * TIMES;
  const context = canvas.getContext("2d");
  context.fillStyle = look.bg;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(drawnPoints(view), EDGE * TIMES, (EDGE + head) * TIMES);
  context.scale(TIMES, TIMES);
  context.save();
  context.translate(EDGE, EDGE + head);
  context.beginPath();
  context.rect(0, 0, width, tall);
  context.clip();
  drawOverlay(context, view.scene(Infinity));
  context.restore();
  drawHead(context, view, note);
  return canvas;
}
