/** The map's picture as a file. */

import { download as save } from "../web/elements.mjs";
import { pictureOf } from "./picture.mjs";
import { svgOf } from "./svg.mjs";

/** @typedef {{format?: "png" | "svg", filename?: string, note?: import("./picture.mjs").Note}} Wish */

/**
 * Downloads the picture. Who asks for it may name the format and the file, and say otherwise what is written about it.
 * @param {import("./view.mjs").View} view @param {Wish} [wish]
 */
export async function download(view, { format = "png", filename, note } = {}) {
  if (!view.state.geometry || !view.painting.painter) return;
  const written = { ...view.note, ...note };
  const name = filename || [written.title, written.space].filter(Boolean).join(" ") || "map";
  const file = `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "")}.${format}`;
  save(format === "svg" ? new Blob([svgOf(view, written)], { type: "image/svg+xml" }) : await pngFile(view, written), file);
}

/** @param {import("./view.mjs").View} view @param {import("./picture.mjs").Note} note @returns {Promise<Blob>} */
function pngFile(view, note) {
  const canvas = pictureOf(view, note);
  view.root.dataset.picture = `${canvas.width}x${canvas.height}`;
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
