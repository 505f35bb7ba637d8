/** Formulas of two vectors, written with the numbers of this moment. */

import { decimal } from "../../../embedviz/figures/web/numbers.mjs";
import { cosine, dot, length, minus, plus } from "./vectors.mjs";

/** @typedef {import("./vectors.mjs").Vector} Vector */
/** @typedef {{at: Vector, name: string}} Named */

const round = (value, digits = 2) => (decimal(value, digits).startsWith("−") ? `(${decimal(value, digits)})` : decimal(value, digits));
const pair = (vector) => `(${decimal(vector[0])}, ${decimal(vector[1])})`;
const undefinedFor = (a, b) => `not defined: ${length(a.at) < 1e-9 ? a.name : b.name} has no direction`;

/** @param {Named} one */
const lengthOf = ({ at, name }) => `|${name}| = √(${round(at[0])}² + ${round(at[1])}²) = ${decimal(length(at))}`;

/**
 * What each reading writes of two vectors, or of three.
 * @type {Record<string, (a: Named, b: Named, c?: Named) => string>}
 */
export const READINGS = {
  lengths: (a, b) => `${lengthOf(a)}   ${lengthOf(b)}`,
  dot: (a, b) =>
    `Dot product: ${a.name} · ${b.name} = ${round(a.at[0])} × ${round(b.at[0])} + ${round(a.at[1])} × ${round(b.at[1])} = ${decimal(dot(a.at, b.at))}`,
  cosine: (a, b) => {
    const value = cosine(a.at, b.at);
    const start = `Cosine: cos(${a.name}, ${b.name}) = ${a.name} · ${b.name} / (|${a.name}| |${b.name}|)`;
    if (value === null) return `${start} is ${undefinedFor(a, b)}`;
    return `${start} = ${decimal(dot(a.at, b.at))} / (${decimal(length(a.at))} × ${decimal(length(b.at))}) = ${decimal(value)}`;
  },
  distance: (a, b) => {
    const [x, y] = minus(a.at, b.at);
    return `Distance: |${a.name} − ${b.name}| = √(${round(x)}² + ${round(y)}²) = ${decimal(Math.hypot(x, y))}`;
  },
  unit: (a, b) => {
    const value = cosine(a.at, b.at);
    if (value === null) return `d is ${undefinedFor(a, b)}`;
    return `At length 1: d² = 2 − 2 cos = 2 − 2 × ${round(value, 3)} = ${decimal(2 - 2 * value, 3)}, d = ${decimal(Math.sqrt(2 - 2 * value), 3)}`;
  },
  triplet: (a, p, n) => {
    if (!n) return "";
    const [near, far] = [p, n].map((one) => length(minus(a.at, one.at)) ** 2);
    const squares = `|${a.name} − ${p.name}|² = ${decimal(near)}   |${a.name} − ${n.name}|² = ${decimal(far)}`;
    return `${squares}   L = max(0, ${decimal(near)} − ${decimal(far)} + 1) = ${decimal(Math.max(0, near - far + 1))}`;
  },
  sum: (a, b) => `${a.name} + ${b.name} = ${pair(a.at)} + ${pair(b.at)} = ${pair(plus(a.at, b.at))}`,
  difference: (a, b) => `${a.name} − ${b.name} = ${pair(a.at)} − ${pair(b.at)} = ${pair(minus(a.at, b.at))}`,
};
