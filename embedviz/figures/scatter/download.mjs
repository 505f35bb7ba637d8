/** The map's picture as a file. */

import { pictureOf } from "./picture.mjs";
import { svgOf } from "./svg.mjs";

/** @typedef {{format?: "png" | "svg", filename?: string, note?: import("./picture.mjs").Note}} Wish */

/**
 * Downloads the picture. Who asks for it may name the format and the file, and say otherwise what is written about it.
 * @param {import("./view.mjs").View} view @param {Wish} [wish]
 */
export async function download(view, { format = "png", filename, note } = {}) {
  if (!view.geometry || !view.painter) return;
  const written = { ...view.note, ...note };
  const link = document.createElement("a");
  link.href = URL.createObjectURL(format === "svg" ? svgFile(view, written) : await pngFile(view, written));
  const name = filename || [written.title, written.space].filter(Boolean).join(" ") || "map";
  link.download = `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "")}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {import("./view.mjs").View} view @param {import("./picture.mjs").Note} note @returns {Promise<Blob>} */
function pngFile(view, note) {
  const canvas = pictureOf(view, note);
  view.root.dataset.picture = `${canvas.width}x${canvas.height}`;
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** @param {import("./view.mjs").View} view @param {import("./picture.mjs").Note} note */
function svgFile(view, note) {
  return new Blob([svgOf(view, note)], { type: "image/svg+xml" });
}
