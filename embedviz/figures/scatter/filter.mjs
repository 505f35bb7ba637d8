/** The filter of a map: classes, dates and sizes that the reader chose. It is drawn immediately; the page stores it. */

import { MOST_COLORED, OTHERS, aloneOrBack, countShown, dateCode, dateOf, dateText, paintedBy, recolored, toggled, weightsOf } from "./facets.mjs";
import { linked } from "./link.mjs";
import { renamed } from "./regions.mjs";

/** @typedef {import("./facets.mjs").Facets} Facets */
/** @typedef {{classes: string[], hidden: string[], range: string[], names: [string, string][]}} Filtered as it stands in an address: classes in color, hidden classes, first and last date, names of regions by id */

const NOTIFY_MS = 300; // a choice is written into the address once no other follows
const MOST_AWAITED = 20;

export class Filter {
  /** @param {import("./view.mjs").View} view @param {(filtered: Filtered) => void} notify Python, which writes the address */
  constructor(view, notify) {
    this.view = view;
    this.notify = notify;
    /** @type {Facets | null} */ this.facets = null;
    /** @type {Set<string>} */ this.hidden = new Set();
    /** @type {[number, number] | null} the dates that are shown; null for all */ this.range = null;
    /** @type {import("./regions.mjs").RegionNames} given by hand */ this.regionNames = {};
    /** @type {string[]} ids of the regions whose names are written */ this.written = [];
    /** @type {(id: string) => void} */ this.editRegion = () => {};
    /** @type {import("./data.mjs").Paint | null} the coloring as it was chosen here, until Python's arrives */ this.own = null;
    /** @type {import("./data.mjs").Paint | null} Python's coloring */ this.theirs = null;
    /** @type {string[]} classes in color that the reader chose; empty for the largest */ this.chosen = [];
    /** @type {string[]} classes that the reader named, the latest last */ this.named = [];
    /** @type {string[]} choices that Python has not answered yet */ this.awaited = [];
    this.known = ""; // Python's last message, as text
    /** @type {Filtered | null} Python's last message */ this.answer = null;
    this.timer = 0;
    /** @type {{draw: () => void}[]} the legend and the slider */ this.parts = [];
    view.filter = this;
    globalThis.addEventListener?.("popstate", this.forget);
  }

  /** The classes of the legend, the grey rest last. @returns {{name: string, code: number, count: number}[]} */
  get classes() {
    const { paint, geometry } = this.view.state;
    if (!paint?.codes || !geometry || (paint.kind !== "category" && paint.kind !== "ordered")) return [];
    const counts = new Array(256).fill(0);
    for (const code of paint.codes) counts[code]++;
    const listed = paint.labels.map((name, code) => ({ name, code, count: counts[code] })).filter(({ name }) => name);
    return counts[255] ? [...listed, { name: OTHERS, code: 255, count: counts[255] }] : listed;
  }

  /**
   * Follow Python's message, unless it answers a choice before the last one.
   * @param {Facets | null} facets @param {Filtered} filtered @param {boolean} [arriving] whether the map is drawn after this anyway
   */
  follow(facets, filtered, arriving = false) {
    const text = JSON.stringify(filtered);
    const other = facets !== this.facets;
    this.facets = facets;
    const place = this.awaited.indexOf(text);
    if (place >= 0) this.awaited.splice(0, place + 1);
    const news = place < 0 && text !== this.known;
    this.known = text;
    this.answer = filtered;
    if (news) this.adopt(filtered);
    if (!this.awaited.length) this.own = null;
    if (arriving) return;
    if (news || other) this.apply();
    else this.draw();
  }

  /** @param {Filtered} filtered */
  adopt({ hidden, classes, range, names }) {
    clearTimeout(this.timer);
    this.awaited = [];
    [this.hidden, this.chosen] = [new Set(hidden), classes];
    this.range = this.rangeIn(range);
    this.regionNames = Object.fromEntries(names);
  }

  /** @param {string[]} codes @returns {[number, number] | null} */
  rangeIn([from, to]) {
    const time = this.facets?.time;
    if (!time || !from || !to) return null;
    const [low, high] = [dateOf(from, time.unit), dateOf(to, time.unit)];
    return low <= high ? [low, high] : null;
  }

  /**
   * After the browser's Back or Forward, go back to Python's last message. Python's answer to a choice just made may
   * never come, and Python does not repeat its last message.
   */
  forget = () => {
    if (!this.answer || !this.awaited.length) return;
    this.adopt(this.answer);
    if (this.own && this.theirs) {
      this.own = null;
      this.view.show(this.view.state.geometry, this.theirs);
    } else this.apply();
  };

  /** Return the coloring to show when Python's coloring arrives. @param {import("./data.mjs").Paint} paint */
  paintFor(paint) {
    this.theirs = paint;
    return this.own ?? paint;
  }

  /** Apply the filter to a new layout or coloring. */
  arrive() {
    const { state } = this.view;
    Object.assign(state, { weights: this.weights(), sized: this.facets?.size ?? null, regions: this.regions });
    this.draw();
  }

  weights() {
    const { geometry, paint } = this.view.state;
    const { classes, size, time } = this.facets ?? {};
    const fits = [classes?.codes, size?.values, time?.values].every((values) => !values || values.length === geometry.count);
    return weightsOf({ count: geometry.count, paint, hidden: this.hidden, facets: fits ? this.facets : null, range: this.range });
  }

  /** Draw what is shown, on linked maps of the same words too. */
  apply() {
    const { view } = this;
    if (view.state.geometry && view.state.paint) {
      const weights = this.weights();
      view.state.regions = this.regions;
      for (const one of linked(view)) if (sameWords(one.state.geometry, view.state.geometry)) one.weigh(weights, this.facets?.size ?? null);
    }
    this.draw();
  }

  draw() {
    const { root, state } = this.view;
    if (state.geometry) root.dataset.shown = String(countShown(state.weights, state.geometry.count));
    for (const part of this.parts) part.draw();
  }

  /** The regions with the names that are shown; empty without regions. @returns {import("./regions.mjs").Region[]} */
  get regions() {
    const { regions } = this.facets ?? {};
    return regions ? renamed(regions.found, this.regionNames) : [];
  }

  /** Note which regions have their name in the picture. @param {string[]} ids */
  write(ids) {
    if (ids.join() === this.written.join()) return;
    this.written = ids;
    this.draw();
  }

  /** @param {import("./regions.mjs").RegionNames} names @param {string} spoken */
  nameRegions(names, spoken) {
    const original = new Map((this.facets?.regions?.found ?? []).map(({ id, name }) => [id, name]));
    const same = ([id, name]) => original.get(id) === name && Object.entries(names).filter(([, other]) => other === name).length < 2;
    this.regionNames = Object.fromEntries(Object.entries(names).filter((one) => original.has(one[0]) && !same(one)));
    this.chose(spoken);
  }

  /** @returns {Filtered} */
  get filtered() {
    const time = this.facets?.time;
    const range = time && this.range ? this.range.map((value) => dateCode(value, time.unit)) : [];
    return { classes: this.chosen, hidden: [...this.hidden].sort(), range, names: Object.entries(this.regionNames) };
  }

  /** Show a choice, say it, and notify Python if no other choice follows soon. @param {string} [spoken] */
  chose(spoken) {
    this.apply();
    this.view.speak(spoken ?? this.sentence());
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const { filtered } = this;
      this.awaited = [...this.awaited, JSON.stringify(filtered)].slice(-MOST_AWAITED);
      this.notify(filtered);
    }, NOTIFY_MS);
  }

  /** @param {string} name */
  only(name) {
    this.hidden = aloneOrBack(this.hidden, this.names, name);
    this.chose();
  }

  /** @param {string} name */
  hide(name) {
    this.hidden = toggled(this.hidden, this.names, name);
    this.chose();
  }

  showAll() {
    [this.hidden, this.range] = [new Set(), null];
    this.chose();
  }

  get names() {
    return this.classes.map(({ name }) => name);
  }

  /** Color a class, or color it no longer. @param {string} name */
  color(name) {
    const { classes } = this.facets ?? {};
    if (!classes?.names.includes(name)) return;
    const before = this.chosen.length ? this.chosen : classes.names.slice(0, MOST_COLORED);
    const chosen = recolored(before, name, this.named);
    this.named = [...this.named.filter((one) => one !== name), name];
    this.hidden = new Set([...this.hidden].filter((one) => one === OTHERS || chosen.includes(one)));
    this.paint(chosen);
    this.chosen = chosen;
    const gone = before.filter((one) => !chosen.includes(one));
    const said = [chosen.includes(name) ? `${name} is in color` : "", ...gone.map((one) => `${one} is grey`)];
    this.chose(`${said.filter(Boolean).join(", ")}.`);
  }

  /** Color the largest classes again. */
  largest() {
    const { classes } = this.facets ?? {};
    if (!classes) return;
    [this.named, this.chosen] = [[], []];
    this.paint(classes.names.slice(0, MOST_COLORED));
    this.chose("The largest classes are in color.");
  }

  /** @param {string[]} chosen classes in color */
  paint(chosen) {
    this.own = paintedBy(this.facets.classes, chosen);
    this.view.show(this.view.state.geometry, this.own);
  }

  /** Show only these dates. @param {[number, number] | null} range @param {boolean} [passing] whether another range follows immediately */
  between(range, passing = false) {
    this.range = range;
    if (passing) this.apply();
    else this.chose();
  }

  /** Return a sentence on what is shown; empty without a map. */
  sentence() {
    const { geometry, weights } = this.view.state;
    if (!geometry) return "";
    const count = countShown(weights, geometry.count);
    const time = this.facets?.time;
    const hidden = this.classes.filter(({ name }) => this.hidden.has(name)).map(({ name }) => labelOf(name));
    const parts = [
      count < geometry.count ? `${count.toLocaleString("en-US")} of ${geometry.count.toLocaleString("en-US")} points are shown` : "All points are shown",
      hidden.length ? `hidden: ${hidden.join(", ")}` : "",
      time && this.range ? `${time.title}: ${this.range.map((value) => dateText(value, time.unit)).join(" to ")}` : "",
    ];
    return `${parts.filter(Boolean).join("; ")}.`;
  }

  /** Return the note under a picture: what is hidden, what names the regions, and what sizes mean. */
  note() {
    const size = this.facets?.size;
    const filters = this.hidden.size || this.range ? this.sentence() : "";
    const { regions } = this.facets ?? {};
    const by = regions?.by ? `the column ${regions.by}` : "their most typical words";
    const changed = Object.keys(this.regionNames).length;
    const named = regions ? `Regions of the map are named by ${by}${changed ? `; ${changed} by hand` : ""}.` : "";
    return [filters, named, size ? `The area of a point grows with: ${size.title}.` : ""].filter(Boolean).join(" ");
  }

  end() {
    clearTimeout(this.timer);
    globalThis.removeEventListener?.("popstate", this.forget);
  }
}

/** Return whether two layouts seem to show the same words: the same number of words, and three equal words. @param {import("./data.mjs").Geometry} a @param {import("./data.mjs").Geometry} b */
function sameWords(a, b) {
  const places = [0, a.count >> 1, a.count - 1];
  return a === b || (a.count === b.count && places.every((row) => a.words.at(row) === b.words.at(row)));
}

/** Return the name of a class as the reader sees it. @param {string} name */
export function labelOf(name) {
  return name === OTHERS ? "other classes" : name;
}
