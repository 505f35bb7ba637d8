/** The map's picture as a file. */

import { download as save } from "../web/elements.mjs";
import { withDensity } from "../web/png.mjs";
import { linked } from "./link.mjs";
import { TIMES, pictureOf, stereoOf } from "./picture.mjs";
import { sideBySide, svgOf } from "./svg.mjs";

/** @typedef {"png" | "print" | "stereo" | "svg"} Format a picture for a slide, a picture of 300 dots per inch, a picture for each eye, an SVG */
/** @typedef {{format?: Format, filename?: string, note?: import("./picture.mjs").Note}} Wish */

const PRINTED = 300; // dots per inch
const PAGE = 96; // pixels per inch of a page

/**
 * Download the picture. `wish` may name the format and the file, and replace lines of the note.
 * @param {import("./view.mjs").View} view @param {Wish} [wish]
 */
export async function download(view, { format = "png", filename, note } = {}) {
  if (!view.state.geometry || !view.painting.painter) return;
  /** @type {import("./picture.mjs").Note} */
  const written = { ...view.note, ...note, filtered: view.filter?.note() ?? "" };
  const stereo = format === "stereo" && view.state.geometry.dimensions === 3;
  const views = stereo ? [view] : linked(view);
  const notes = views.map((one) => (one === view ? written : one.note));
  const name = filename || [written.title, written.space].filter(Boolean).join(" ") || "map";
  const kind = format === "svg" ? "svg" : "png";
  const file = `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "")}${stereo ? "-stereo" : ""}.${kind}`;
  if (kind === "svg") {
    const svg = sideBySide(views.map((one, k) => svgOf(one, notes[k], k ? `-${k + 1}` : "")), view.look.bg);
    save(new Blob([svg], { type: "image/svg+xml" }), file);
    return;
  }
  const times = format === "print" ? PRINTED / PAGE : TIMES;
  const drawn = stereo ? stereoOf(view, written) : views.map((one, k) => pictureOf(one, notes[k], times));
  save(await pngFile(view, drawn, times * PAGE), file);
}

/** Return the PNG of one picture, or of several from left to right. @param {import("./view.mjs").View} view @param {HTMLCanvasElement[]} drawn @param {number} density dots an inch @returns {Promise<Blob>} */
async function pngFile(view, drawn, density) {
  const canvas = drawn.length > 1 ? document.createElement("canvas") : drawn[0];
  if (drawn.length > 1) {
    [canvas.width, canvas.height] = [drawn.reduce((sum, { width }) => sum + width, 0), Math.max(...drawn.map(({ height }) => height))];
    const context = canvas.getContext("2d");
    context.fillStyle = view.look.bg;
    context.fillRect(0, 0, canvas.width, canvas.height);
    drawn.reduce((left, one) => (context.drawImage(one, left, 0), left + one.width), 0);
  }
  view.root.dataset.picture = `${canvas.width}x${canvas.height}`;
  const blob = await new Promise((/** @type {(blob: Blob) => void} */ done) => canvas.toBlob(done, "image/png"));
  return new Blob([withDensity(new Uint8Array(await blob.arrayBuffer()), density)], { type: "image/png" });
}
