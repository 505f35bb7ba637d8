/** Sizes and opacities of points, and the margins around them, by the number of points and the width of the map. */

import { clamp, mix } from "../web/numbers.mjs";
import { fewness } from "./few.mjs";

/** @typedef {import("./geometry.mjs").Frame} Frame */

export const NARROW = 640; // a narrower map in pixels is on a phone
export const SPARSE = 3000; // a map of fewer points is sparse: each can be seen from the last row of a lecture hall
export const LARGE = 20 / 14; // by how much points and type grow in the lecture view
const MOST_NARROW = 336; // most height of a narrow map in pixels
const LEAST_NARROW = 200;
const BAR = { wide: 44, narrow: 52 }; // pixels of the tools above the points
const LEGEND = 48;
const MOST_COVER = 2; // how often points may cover their area before they grow faint
const FAINTEST = 0.08;
const FADE = { many: 0.5, few: 0.15 }; // how much of the page's color the farthest points take
const FULL = { wide: 3.5, narrow: 2.8 }; // radius of a point if points are few
const CLEAR = { rest: { wide: 2, narrow: 1.3 }, colored: { wide: 3.2, narrow: 2 } }; // least radii of a sparse map

/**
 * Return the margins around the points.
 * @param {{width: number, height: number, axes: number, solid: boolean, legend: boolean, tooled: boolean, scale?: number}} map `axes` is how many have titles
 * @returns {Frame}
 */
export function frameOf({ width, height, axes, solid, legend, tooled, scale = 1 }) {
  const narrow = width < NARROW;
  const side = narrow ? 8 : 24;
  const left = axes > 1 && !solid ? Math.max(26 * scale, side) : side;
  const bottom = (axes ? 26 * scale : narrow ? 10 : 16) + (legend ? LEGEND * scale : 0);
  return { width, height, left, right: side, top: tooled ? BAR[narrow ? "narrow" : "wide"] : narrow ? 10 : 16, bottom, scale };
}

/**
 * Return the wanted height of a map: at least `height` pixels, and as high as the window without `spare` pixels.
 * @param {{height: number, spare?: number | null}} wanted @param {number} window
 */
export function tallOf({ height, spare = null }, window) {
  return spare === null ? height : Math.max(height, window - spare);
}

/**
 * Return the height of a map: as wanted, and on a phone no more than its points need.
 * @param {number} wanted @param {number} width @param {import("./geometry.mjs").Bounds | null} bounds @param {Frame} frame
 * @param {boolean} [beside] whether it is narrow because another map stands beside it: then it is no higher than wide
 */
export function heightOf(wanted, width, bounds, { left, right, top, bottom }, beside = false) {
  if (width >= NARROW) return Math.round(wanted);
  if (beside) return Math.round(Math.min(wanted, width));
  const aspect = !bounds || bounds.radius ? 1 : (bounds.maxX - bounds.minX) / (bounds.maxY - bounds.minY) || 1;
  const needed = bounds ? Math.max(LEAST_NARROW, (width - left - right) / aspect + top + bottom) : Infinity;
  return Math.round(Math.min(MOST_NARROW, wanted, needed));
}

/** Return how few points are in view, 0 to 1, from the area that most of them take. @param {number} count @param {number} spread area of most @param {number} seen area in view */
export function fewIn(count, spread, seen) {
  return fewness(count * (spread > seen ? seen / spread : 1));
}

/**
 * Return the radii of the rest and of the colored points: smaller if many points are colored, alike if there are few
 * points.
 * @param {{count: number, colored: number, zoom: number, narrow: boolean, few: number, scale?: number}} map
 * @returns {[number, number]}
 */
export function radiiOf({ count, colored, zoom, narrow, few, scale = 1 }) {
  const closer = Math.min(Math.max(zoom, 1) ** 0.3, 2);
  const fine = Math.min(1, (200_000 / Math.max(count, 1)) ** 0.25);
  const alone = colored ? 1 : 1.6; // the rest is all there is
  const kind = narrow ? "narrow" : "wide";
  const clear = (radius, least) => (count < SPARSE ? Math.max(radius, least[kind] * Math.min(closer, 1.6)) : radius);
  const rest = clear((narrow ? 0.65 : 1) * alone * closer * fine, CLEAR.rest);
  const crowd = Math.min(1, Math.sqrt(4000 / Math.max(colored, 1)));
  const dense = Math.max((narrow ? 1.6 : 2.3) * crowd, (narrow ? 0.8 : 1.1) * fine) * Math.min(closer, 1.6);
  const own = clear(dense, CLEAR.colored);
  const full = mix(own, Math.max(own, FULL[kind]), few);
  return [scale * mix(rest, full, few), scale * full];
}

/** Return the radius of the grey points behind trails. It is small, so that trails and named points stand out. @param {number} rest @param {boolean} narrow @param {number} scale */
export function behindTrails(rest, narrow, scale) {
  return Math.min(rest, scale * CLEAR.rest[narrow ? "narrow" : "wide"]);
}

/**
 * Return the opacities: fainter if points would cover their area more than `MOST_COVER` times, so that dense places
 * show.
 * @param {number[]} counts of the rest and of the colored @param {number[]} radii @param {number} room square pixels
 * @param {number} few @returns {[number, number]}
 */
export function opacityOf(counts, radii, room, few) {
  const of = (n, radius) => mix(clamp((MOST_COVER * room) / (n * Math.PI * radius ** 2 || 1), FAINTEST, 1), 1, few);
  return [of(counts[0], radii[0]), of(counts[1], radii[1])];
}

/** Return how much of the page's color the farthest points take. @param {number} few 0 to 1 */
export function fade(few) {
  return mix(FADE.many, FADE.few, few);
}
