/** Formulas of two or three vectors, written with the current numbers. */

import { decimal } from "../../../embedviz/figures/web/numbers.mjs";
import { cosine, dot, length, minus, plus } from "./vectors.mjs";

/** @typedef {import("./vectors.mjs").Vector} Vector */
/** @typedef {{at: Vector, name: string}} Named */

/**
 * Return the fewest decimals, at least `digits`, with which the written numbers give the written result by hand.
 * @param {number[]} values @param {(values: number[]) => number} of @param {number} [digits] Of the result.
 */
export function decimalsFor(values, of, digits = 2) {
  const result = decimal(of(values), digits);
  for (let many = digits; many < 6; many++) if (decimal(of(values.map((value) => Number(value.toFixed(many)))), digits) === result) return many;
  return 6;
}

const round = (value, digits = 2) => (decimal(value, digits).startsWith("−") ? `(${decimal(value, digits)})` : decimal(value, digits));
const pair = (vector) => `(${decimal(vector[0])}, ${decimal(vector[1])})`;
const undefinedFor = (a, b) => `not defined: ${length(a.at) < 1e-9 ? a.name : b.name} has no direction`;

const MARGIN = 1;
const hinge = (/** @type {number[]} */ [near, far]) => Math.max(0, near - far + MARGIN);

/** max(0, |a − p|² − |a − n|² + 1). @param {Vector} a @param {Vector} p @param {Vector} n */
export const tripletLoss = (a, p, n) => hinge([p, n].map((one) => length(minus(a, one)) ** 2));

/** @param {Vector} vector */
const root = (vector) => {
  const many = decimalsFor([...vector], ([x, y]) => Math.hypot(x, y));
  return `√(${round(vector[0], many)}² + ${round(vector[1], many)}²) = ${decimal(length(vector))}`;
};

/** @param {Named} one */
const lengthOf = ({ at, name }) => `|${name}| = ${root(at)}`;

/**
 * Formulas by name: functions that return the text of a formula for two vectors, or for three.
 * @type {Record<string, (a: Named, b: Named, c?: Named) => string>}
 */
export const READINGS = {
  lengths: (a, b) => `${lengthOf(a)}   ${lengthOf(b)}`,
  dot: (a, b) => {
    const many = decimalsFor([...a.at, ...b.at], ([x, y, u, v]) => x * u + y * v);
    const [x, y, u, v] = [...a.at, ...b.at].map((value) => round(value, many));
    return `Dot product: ${a.name} · ${b.name} = ${x} × ${u} + ${y} × ${v} = ${decimal(dot(a.at, b.at))}`;
  },
  cosine: (a, b) => {
    const value = cosine(a.at, b.at);
    const start = `Cosine: cos(${a.name}, ${b.name}) = ${a.name} · ${b.name} / (|${a.name}| |${b.name}|)`;
    if (value === null) return `${start} is ${undefinedFor(a, b)}`;
    const parts = [dot(a.at, b.at), length(a.at), length(b.at)];
    const many = decimalsFor(parts, ([product, one, other]) => product / (one * other));
    const [product, one, other] = parts.map((each) => decimal(each, many));
    return `${start} = ${product} / (${one} × ${other}) = ${decimal(value)}`;
  },
  distance: (a, b) => `Distance: |${a.name} − ${b.name}| = ${root(minus(a.at, b.at))}`,
  unit: (a, b) => {
    const value = cosine(a.at, b.at);
    if (value === null) return `d is ${undefinedFor(a, b)}`;
    return `At length 1: d² = 2 − 2 cos = 2 − 2 × ${round(value, 3)} = ${decimal(2 - 2 * value, 3)}, d = ${decimal(Math.sqrt(2 - 2 * value), 3)}`;
  },
  triplet: (a, p, n) => {
    if (!n) return "";
    const [near, far] = [p, n].map((one) => length(minus(a.at, one.at)) ** 2);
    const [first, second] = [near, far].map((each) => decimal(each, decimalsFor([near, far], hinge)));
    const squares = `|${a.name} − ${p.name}|² = ${first}   |${a.name} − ${n.name}|² = ${second}`;
    return `${squares}   L = max(0, ${first} − ${second} + 1) = ${decimal(hinge([near, far]))}`;
  },
  sum: (a, b) => `${a.name} + ${b.name} = ${pair(a.at)} + ${pair(b.at)} = ${pair(plus(a.at, b.at))}`,
  difference: (a, b) => `${a.name} − ${b.name} = ${pair(a.at)} − ${pair(b.at)} = ${pair(minus(a.at, b.at))}`,
};
