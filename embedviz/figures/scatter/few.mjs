/** Rules for maps of few points: every point has a label and full color. */

import { clamp } from "../web/numbers.mjs";

const FEW = 80; // points, every one of which can be named in most pictures
const MANY = 800; // from here on a map is a cloud with some words in it

/** 1 where so many points are few, 0 where they are many, and evenly in between by their ratio. @param {number} n */
export function fewness(n) {
  return n > 0 ? clamp(1 - Math.log(n / FEW) / Math.log(MANY / FEW), 0, 1) : 1;
}
