/** Colors: the theme in use, and the 256 colors of the points' codes. */

import { DIMMED } from "./data.mjs";
import { along, luminance, rgb } from "../web/colors.mjs";
import { mix } from "../web/numbers.mjs";
import { THEMES } from "./theme.mjs";

const DIM = 0.45; // share of the rest's opacity

/** @typedef {typeof THEMES.light & {name: string, font: string}} Look */

/**
 * Return the look in use: Streamlit's own background, text color and font if they are given, and the theme's colors for
 * that background.
 * @param {(name: string) => string} read a CSS variable
 * @returns {Look}
 */
export function lookOf(read) {
  const hex = (name) => (/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(read(name).trim()) ? read(name).trim() : "");
  const bg = hex("--st-background-color");
  const name = bg ? (luminance(rgb(bg)) < 0.2 ? "dark" : "light") : systemTheme();
  const theme = THEMES[name];
  return {
    ...theme,
    name,
    bg: bg || theme.bg,
    ink: hex("--st-text-color") || theme.ink,
    font: read("--st-font").trim() || '"Source Sans", "Source Sans Pro", sans-serif',
  };
}

function systemTheme() {
  return globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/**
 * Return the steps of a scale that are visible on the page: a sequential scale begins almost at the page's own color.
 * @param {Look} look @param {boolean} diverging
 */
export function scaleOf(look, diverging) {
  return diverging ? look.diverging : look.sequential.slice(2);
}

/** Return the color of a code, 0 to 255 each. @param {Look} look @param {import("./data.mjs").Paint} paint @param {number} code */
export function colorOf(look, paint, code) {
  if (code === 255) return rgb(look.rest);
  if (paint.kind === "category") return rgb(look.categorical[code % look.categorical.length]);
  if (paint.kind === "ordered") {
    return along(scaleOf(look, false), paint.labels.length > 1 ? code / (paint.labels.length - 1) : 1);
  }
  if (paint.kind === "value") return along(scaleOf(look, paint.diverging), code / 254);
  return rgb(look.sequential[5]);
}

/**
 * Return 256 colors as RGBA bytes; the color of `DIMMED` is for the points outside a selection.
 * @param {Look} look @param {import("./data.mjs").Paint} paint @param {number} [firm] 0 to 1: if points are few or the map is sparse, the rest is drawn more firmly
 */
export function paletteOf(look, paint, firm = 0) {
  const bytes = new Uint8Array(256 * 4);
  const last = paint.kind === "value" ? 254 : Math.max(paint.labels.length - 1, 0);
  for (let code = 0; code < 255; code++) bytes.set([...colorOf(look, paint, Math.min(code, last)), 255], code * 4);
  const sparse = rgb(look.rest_sparse);
  const rest = rgb(look.rest).map((value, i) => Math.round(mix(value, sparse[i], firm)));
  bytes.set([...rest, 255 * mix(look.rest_opacity, 1, firm)], 255 * 4);
  bytes.set([...rgb(look.rest), 255 * look.rest_opacity * DIM], DIMMED * 4);
  return bytes;
}
