/** Columns that came with the words: classes to color, numbers for the size of a point, dates to filter by. */

import { REST, unpack } from "./data.mjs";
import { THEMES } from "./theme.mjs";

/** @typedef {import("./data.mjs").Paint} Paint */
/** @typedef {{title: string, names: string[], counts: number[], codes: Uint32Array}} Classes names of all classes, the largest first; `codes` has the index of each row's class */
/** @typedef {{title: string, values: Float32Array, low: number, high: number}} Numbers */
/** @typedef {{title: string, values: Float32Array, low: number, high: number, unit: "day" | "year"}} Dates days since 1970, or years */
/** @typedef {{classes: Classes | null, size: Numbers | null, time: Dates | null, regions: import("./regions.mjs").Regions | null}} Facets */

export const MOST_COLORED = THEMES.light.categorical.length;
/** The name that stands for the grey rest among the hidden classes. */
export const OTHERS = "*";
const DAY_MS = 86_400_000;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** @param {ArrayBuffer} buffer @returns {Facets} */
export function facetsOf(buffer) {
  const { header, arrays } = unpack(buffer);
  const { classes, size, time, regions = null } = header;
  const ranged = (column, values) => ({ ...column, values, ...rangeOf(values) });
  return {
    classes: classes ? classesOf(classes.title, classes.names, /** @type {Uint32Array} */ (arrays.classes)) : null,
    size: size ? ranged(size, arrays.size) : null,
    time: time ? ranged(time, arrays.time) : null,
    regions,
  };
}

/** @param {string} title @param {string[]} names @param {Uint32Array} codes @returns {Classes} */
export function classesOf(title, names, codes) {
  const counts = new Array(names.length).fill(0);
  for (const code of codes) counts[code]++;
  return { title, names, counts, codes };
}

/** Return the smallest and the largest number, ignoring NaN. @param {ArrayLike<number>} values */
export function rangeOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? { low, high } : { low: 0, high: 0 };
}

/** Return a coloring with the chosen classes in color and all others grey. @param {Classes} classes @param {string[]} chosen @returns {Paint} */
export function paintedBy({ title, names, codes }, chosen) {
  const labels = chosen.slice(0, MOST_COLORED);
  const place = new Uint8Array(names.length).fill(REST);
  for (const [code, name] of labels.entries()) if (names.includes(name)) place[names.indexOf(name)] = code;
  const colors = new Uint8Array(codes.length);
  let colored = 0;
  for (let row = 0; row < codes.length; row++) if ((colors[row] = place[codes[row]]) !== REST) colored++;
  return { kind: "category", title, labels, low: 0, high: 0, diverging: false, codes: colors, colored };
}

/**
 * Return the classes in color after a class was named: it is added, or removed if it was in color. A ninth class takes
 * the color of the last class that was not named, or else of the class that was named longest ago.
 * @param {string[]} chosen in the order of their colors @param {string} name @param {string[]} named classes that the reader named, the latest last
 */
export function recolored(chosen, name, named) {
  if (chosen.includes(name)) return chosen.length > 1 ? chosen.filter((one) => one !== name) : chosen;
  if (chosen.length < MOST_COLORED) return [...chosen, name];
  const unnamed = chosen.filter((one) => !named.includes(one));
  const leaves = unnamed.at(-1) ?? named.find((one) => chosen.includes(one)) ?? chosen.at(-1);
  return chosen.map((one) => (one === leaves ? name : one));
}

/** Return classes whose name contains a text; names that begin with it come first. @param {Classes} classes @param {string} text @param {number} most */
export function classesLike({ names }, text, most) {
  const wanted = text.trim().toLowerCase();
  const found = names.filter((name) => name.toLowerCase().includes(wanted));
  const begins = (name) => name.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((name) => !begins(name))].slice(0, most);
}

/**
 * Return what is hidden after a click on a class: all other classes; nothing, if only this class was visible; a hidden
 * class is shown again.
 * @param {Set<string>} hidden @param {string[]} all names of the legend @param {string} name
 */
export function aloneOrBack(hidden, all, name) {
  if (hidden.has(name)) return new Set([...hidden].filter((one) => one !== name));
  const others = all.filter((one) => one !== name);
  return others.every((one) => hidden.has(one)) ? new Set() : new Set(others);
}

/** Return the hidden classes after a class is hidden or shown again; never all classes. @param {Set<string>} hidden @param {string[]} all @param {string} name */
export function toggled(hidden, all, name) {
  const next = new Set(hidden);
  if (!next.delete(name)) next.add(name);
  return all.every((one) => next.has(one)) ? hidden : next;
}

/**
 * Return the weight of each row: 0 if it is hidden, else 1 to 255 by its number, as `factorOf` reads it; null if all
 * rows are alike.
 * @param {{count: number, paint: Paint, hidden: Set<string>, facets: Facets | null, range: [number, number] | null}} what
 * @returns {Uint8Array | null}
 */
export function weightsOf({ count, paint, hidden, facets, range }) {
  const size = facets?.size ?? null;
  const time = range ? (facets?.time ?? null) : null;
  const gone = hiddenCodes(paint, hidden);
  if (!size && !time && !gone) return null;
  const weights = new Uint8Array(count).fill(1);
  if (size) {
    const [from, to] = areaOf(size);
    for (let row = 0; row < count; row++) {
      const share = (size.values[row] - from) / (to - from || 1);
      weights[row] = share >= 0 ? 1 + Math.round(254 * Math.min(share, 1)) : 1;
    }
  }
  if (gone) for (let row = 0; row < count; row++) if (gone[paint.codes[row]]) weights[row] = 0;
  if (time) for (let row = 0; row < count; row++) if (!(time.values[row] >= range[0] && time.values[row] <= range[1])) weights[row] = 0;
  return weights;
}

/** @param {Paint} paint @param {Set<string>} hidden @returns {boolean[] | null} by code */
function hiddenCodes({ kind, labels, codes }, hidden) {
  if (!hidden.size || !codes || kind === "value" || kind === "plain") return null;
  const gone = new Array(256).fill(false);
  for (const [code, label] of labels.entries()) gone[code] = hidden.has(label);
  gone[REST] = hidden.has(OTHERS);
  return gone.some(Boolean) ? gone : null;
}

/** Return the numbers of the smallest and the largest point. Areas begin at zero, unless there are negative numbers. @param {Numbers} size @returns {[number, number]} */
export function areaOf({ low, high }) {
  return low >= 0 ? [0, high] : [low, high];
}

const [LEAST_AREA, MOST_AREA] = [0.25, 9];

/** Return the factor of a point's radius; the area grows with the number. @param {number} weight 1 to 255 */
export function factorOf(weight) {
  return Math.sqrt(LEAST_AREA + (MOST_AREA - LEAST_AREA) * ((weight - 1) / 254));
}

/** Return how many rows are drawn. @param {Uint8Array | null} weights @param {number} count */
export function countShown(weights, count) {
  if (!weights) return count;
  let shown = 0;
  for (const weight of weights) if (weight) shown++;
  return shown;
}

/** Return the number of rows in each of `bins` equal spans of time. @param {Dates} time @param {number} bins */
export function histogram({ values, low, high }, bins) {
  const counts = new Array(bins).fill(0);
  for (const value of values) if (value >= low) counts[Math.min(Math.floor(((value - low) / (high - low || 1)) * bins), bins - 1)]++;
  return counts;
}

/** Return a date as text for a reader. @param {number} value @param {"day" | "year"} unit */
export function dateText(value, unit) {
  if (unit === "year") return String(Math.round(value));
  const day = new Date(Math.round(value) * DAY_MS);
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
}

/** Return a date as text for an address. @param {number} value @param {"day" | "year"} unit */
export function dateCode(value, unit) {
  return unit === "year" ? String(Math.round(value)) : new Date(Math.round(value) * DAY_MS).toISOString().slice(0, 10);
}

/** Return the date of an address's text, or NaN. @param {string} text @param {"day" | "year"} unit */
export function dateOf(text, unit) {
  if (unit === "year") return /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  return /^\d{4}-\d\d-\d\d$/.test(text) ? Math.round(Date.parse(`${text}T00:00:00Z`) / DAY_MS) : NaN;
}

/** Return some round numbers for the legend of sizes, from the largest down. @param {Numbers} size */
export function sizeSteps(size) {
  const [from, to] = areaOf(size);
  const span = to - from;
  const round = (value) => {
    const unit = 10 ** Math.floor(Math.log10(Math.abs(value) || 1));
    return Math.round(value / unit) * unit;
  };
  const steps = [to, from + span / 3, from + span / 12].map((value, k) => (k ? round(value) : value));
  const different = steps.filter((value, k) => !steps.slice(0, k).includes(value) && value >= from && value <= to);
  return different.map((value) => ({ value, factor: factorOf(1 + (254 * (value - from)) / (span || 1)) }));
}
