/** The map as a picture for a slide: twice the size, with its title, its space, its count and its badge. */

import { drawOverlay, fontOf } from "./overlay.mjs";

const TIMES = 2;
const EDGE = 24;

/** @typedef {{title?: string, space?: string, count?: string, badge?: string}} Note what is written above the map */

/**
 * The picture on a canvas of its own. Drawn and copied in one task: the browser may clear a WebGL canvas after it.
 * @param {import("./view.mjs").View} view @param {Note} note
 * @returns {HTMLCanvasElement}
 */
export function pictureOf(view, note) {
  view.land();
  const { look, width, tall } = view;
  const subtitle = [note.space, note.count].filter(Boolean).join(" · ");
  const head = (note.title ? 34 : 0) + (note.badge ? 28 : 0) + (note.title || note.badge ? 8 : 0);
  const canvas = document.createElement("canvas");
  canvas.width = (width + 2 * EDGE) * TIMES;
  canvas.height = (tall + head + 2 * EDGE) * TIMES;
  const context = canvas.getContext("2d");
  context.fillStyle = look.bg;
  context.fillRect(0, 0, canvas.width, canvas.height);

  const { under, painter } = view;
  const kept = [under.width, under.height];
  [under.width, under.height] = [width * TIMES, tall * TIMES];
  painter.draw({ ...view.sketch(1), ratio: TIMES });
  context.drawImage(under, EDGE * TIMES, (EDGE + head) * TIMES);
  [under.width, under.height] = kept;
  view.drawPoints(1);

  context.scale(TIMES, TIMES);
  context.save();
  context.translate(EDGE, EDGE + head);
  context.beginPath();
  context.rect(0, 0, width, tall);
  context.clip();
  drawOverlay(context, view.scene(Infinity));
  context.restore();

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
    context.fillText(subtitle, right, y + 22);
    y += 34;
  }
  if (note.badge) {
    context.font = fontOf(look.font, 14, 400);
    context.fillStyle = look.ink;
    context.fillText(note.badge, EDGE, y + 17);
  }
  return canvas;
}

/**
 * Downloads the picture. Who asks for it may name the file and say otherwise what is written above.
 * @param {import("./view.mjs").View} view @param {{filename?: string, note?: Note}} [wish]
 */
export async function download(view, { filename, note } = {}) {
  if (!view.geometry || !view.painter) return;
  const written = { ...view.note, ...note };
  const canvas = pictureOf(view, written);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  const name = filename || [written.title, written.space].filter(Boolean).join(" ") || "map";
  link.download = `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "")}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  view.root.dataset.picture = `${canvas.width}x${canvas.height}`;
}
