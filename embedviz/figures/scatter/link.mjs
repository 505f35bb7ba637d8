/** What maps of the same words share: the hovered word, and their picture. */

import { mounts } from "./store.mjs";

const HOVER = "embedviz:hover";

/**
 * Share the hovered word between a view and the other views of its link; return the function that ends this.
 * @param {import("./view.mjs").View} view
 */
export function join(view) {
  let told = false;
  view.onHover = (row) => {
    if (told || !view.link) return;
    const word = row < 0 ? "" : view.state.geometry.words.at(row);
    globalThis.dispatchEvent(new CustomEvent(HOVER, { detail: { link: view.link, chart: view.chart, row, word } }));
  };
  const follow = (/** @type {any} */ { detail }) => {
    if (!view.link || detail?.link !== view.link || detail.chart === view.chart) return;
    told = true;
    view.hover(sameRow(view.state.geometry, detail));
    told = false;
  };
  globalThis.addEventListener(HOVER, follow);
  return () => globalThis.removeEventListener(HOVER, follow);
}

/** Return the row of another map's word in a map with the same words in the same order, or -1. @param {import("./data.mjs").Geometry | null} geometry @param {{row: number, word: string}} said */
export function sameRow(geometry, { row, word }) {
  return geometry && row >= 0 && row < geometry.count && geometry.words.at(row) === word ? row : -1;
}

/** Return the view, and the drawn views that are linked with it. @param {import("./view.mjs").View} view @returns {import("./view.mjs").View[]} */
export function linked(view) {
  const others = [...mounts.values()].filter((one) => view.link && one !== view && one.link === view.link && one.state.geometry);
  return [view, ...others];
}
