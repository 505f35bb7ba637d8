/** The map's picture as a file. */

import { download as save } from "../web/elements.mjs";
import { linked } from "./link.mjs";
import { pictureOf } from "./picture.mjs";
import { sideBySide, svgOf } from "./svg.mjs";

/** @typedef {{format?: "png" | "svg", filename?: string, note?: import("./picture.mjs").Note}} Wish */

/**
 * Downloads the picture. Who asks for it may name the format and the file, and say otherwise what is written about it.
 * @param {import("./view.mjs").View} view @param {Wish} [wish]
 */
export async function download(view, { format = "png", filename, note } = {}) {
  if (!view.state.geometry || !view.painting.painter) return;
  /** @type {import("./picture.mjs").Note} */
  const written = { ...view.note, ...note, filtered: view.filter?.note() ?? "" };
  const views = linked(view);
  const notes = views.map((one) => (one === view ? written : one.note));
  const name = filename || [written.title, written.space].filter(Boolean).join(" ") || "map";
  const file = `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "")}.${format}`;
  const svg = () => sideBySide(views.map((one, k) => svgOf(one, notes[k], k ? `-${k + 1}` : "")), view.look.bg);
  save(format === "svg" ? new Blob([svg()], { type: "image/svg+xml" }) : await pngFile(views, notes), file);
}

/** One picture, or those of linked maps side by side. @param {import("./view.mjs").View[]} views @param {import("./picture.mjs").Note[]} notes @returns {Promise<Blob>} */
function pngFile(views, notes) {
  const [view] = views;
  const drawn = views.map((one, k) => pictureOf(one, notes[k]));
  const canvas = drawn.length > 1 ? document.createElement("canvas") : drawn[0];
  if (drawn.length > 1) {
    [canvas.width, canvas.height] = [drawn.reduce((sum, { width }) => sum + width, 0), Math.max(...drawn.map(({ height }) => height))];
    const context = canvas.getContext("2d");
    context.fillStyle = view.look.bg;
    context.fillRect(0, 0, canvas.width, canvas.height);
    drawn.reduce((left, one) => (context.drawImage(one, left, 0), left + one.width), 0);
  }
  view.root.dataset.picture = `${canvas.width}x${canvas.height}`;
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
