/** The map as a picture for a slide: twice the size, title and space above it, the other lines of its note below. */

import { wrapped } from "../web/lines.mjs";
import { drawOverlay } from "./overlay.mjs";
import { fontOf } from "./writing.mjs";

export const TIMES = 2;
const GAP = 8; // pixels between the map and its note
/** Margin around the map, in pixels. */
export const EDGE = 24;

/** @typedef {Record<string, string>} Note `title` and `space` stand above the map, every other line below it */
/** @typedef {{text: string, font: string, color: string, base: number}} Line `base` is the y of its baseline in the picture */

/**
 * Return the lines of the note, wrapped to the map's width, and the y where the map begins and where the picture ends.
 * @param {any} context of a canvas, or one that writes SVG @param {import("./view.mjs").View} view @param {Note} note
 * @returns {{lines: Line[], top: number, high: number}}
 */
export function linesOf(context, view, note) {
  const { look } = view;
  const serif = getComputedStyle(view.root).getPropertyValue("--st-heading-font").trim() || '"Source Serif", serif';
  const [title, small] = [{ font: fontOf(serif, 24, 600), height: 32 }, { font: fontOf(look.font, 14, 400), height: 21 }];
  /** @type {Line[]} */
  const lines = [];
  let y = EDGE;
  const add = (/** @type {[string, string]} */ [name, text]) => {
    const { font, height } = name === "title" ? title : small;
    context.font = font;
    const color = name === "title" || name === "badge" ? look.ink : look.muted;
    for (const line of wrapped(context, text, view.state.width)) {
      lines.push({ text: line, font, color, base: Math.round(y + 0.72 * height) });
      y += height;
    }
  };
  const said = Object.entries(note).filter(([, text]) => text);
  const above = (/** @type {[string, string]} */ [name]) => name === "title" || name === "space";
  said.filter(above).forEach(add);
  const top = y + (lines.length ? GAP : 0);
  const written = lines.length;
  y = top + view.state.tall + GAP;
  said.filter((line) => !above(line)).forEach(add);
  return { lines, top, high: (lines.length > written ? y : top + view.state.tall) + EDGE };
}

/** @param {any} context @param {Line[]} lines */
export function drawLines(context, lines) {
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  for (const { text, font, color, base } of lines) {
    context.font = font;
    context.fillStyle = color;
    context.fillText(text, EDGE, base);
  }
}

/**
 * Return the points drawn at `times` the size. They are drawn and copied in one task: the browser may clear a WebGL
 * canvas after it.
 * @param {import("./view.mjs").View} view @param {number} [times]
 */
export function drawnPoints(view, times = TIMES) {
  const { under, painting, state, look } = view;
  const { width, tall } = state;
  const canvas = document.createElement("canvas");
  const kept = [under.width, under.height];
  [canvas.width, canvas.height] = [under.width, under.height] = [Math.round(width * times), Math.round(tall * times)];
  painting.painter.draw({ ...state.sketch(1, look.bg), ratio: times });
  canvas.getContext("2d").drawImage(under, 0, 0);
  [under.width, under.height] = kept;
  view.drawPoints(1);
  return canvas;
}

/**
 * Return the picture on a canvas of its own.
 * @param {import("./view.mjs").View} view @param {Note} note @param {number} [times] its size as a multiple of the map's pixels
 * @returns {HTMLCanvasElement}
 */
export function pictureOf(view, note, times = TIMES) {
  view.land();
  const { look } = view;
  const { width, tall } = view.state;
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  const { lines, top, high } = linesOf(context, view, note);
  canvas.width = Math.round((width + 2 * EDGE) * times);
  canvas.height = Math.round(high * times);
  context.fillStyle = look.bg;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(drawnPoints(view, times), EDGE * times, top * times);
  context.scale(times, times);
  context.save();
  context.translate(EDGE, top);
  context.beginPath();
  context.rect(0, 0, width, tall);
  context.clip();
  drawOverlay(context, view.scene(Infinity));
  context.restore();
  drawLines(context, lines);
  return canvas;
}

const EYE = 0.03; // radians by which the points are turned for each eye, as at a reading distance of two feet

/**
 * Return the pictures of a map with depth for the left and the right eye; side by side, they show the depth.
 * @param {import("./view.mjs").View} view @param {Note} note @returns {HTMLCanvasElement[]}
 */
export function stereoOf(view, note) {
  const { state } = view;
  const { camera } = state;
  return [EYE, -EYE].map((turn) => {
    state.camera = { ...camera, yaw: camera.yaw + turn };
    view.location.forget();
    const drawn = pictureOf(view, note);
    state.camera = camera;
    view.location.forget();
    view.draw({ points: true, labels: true });
    return drawn;
  });
}
