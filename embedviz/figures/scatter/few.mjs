/** Rules for maps of few points: every point has a label and full color. */

import { clamp } from "../web/numbers.mjs";

const FEW = 80; // so many points can all be named in most pictures
const MANY = 800; // from here on a map is a cloud with some words in it

/** Return how few n points are: 1 up to `FEW`, 0 from `MANY` on, and between them by the logarithm of n. @param {number} n */
export function fewness(n) {
  return n > 0 ? clamp(1 - Math.log(n / FEW) / Math.log(MANY / FEW), 0, 1) : 1;
}
