/**
 * Figure, formula and sentence of a lesson that follow its sliders in the browser.
 *
 * `data`: {key, part, …}. "here" {of, places}: the place of each slider by its name, and the number of the figure. A
 * "column" {of, name, others, steps}: for each place of one slider, the changes of that figure {data, layout, formula,
 * meaning}, or of a plane {arrows, formula, meaning}; the other sliders stay at `others`. "formula" {now, katex} and
 * "meaning" {now} write their lines until the columns arrive. Formulas are typeset and sentences are set as text:
 * neither is read as HTML.
 */
import { element } from "../../../embedviz/figures/web/elements.mjs";
import { mounting } from "../../../embedviz/figures/web/mounting.mjs";
import { stepAt } from "./places.mjs";

const AGAIN = 100; // ms until the figure is looked for again
/** Draw only the points of a figure, in about half the time of the whole figure. */
const AT_ONCE = { mode: "immediate", transition: { duration: 0 }, frame: { duration: 0, redraw: false } };
const all = (globalThis.embedvizSteps ??= new Map()); // key -> steps, shared by the parts and the sliders

const partIn = mounting(".steps", (parent, data) => {
  if (!all.has(data.key)) all.set(data.key, new Steps(data.key));
  return new { here: Part, column: Part, formula: Formula, meaning: Meaning }[data.part](parent, all.get(data.key));
});

/** @param {{data: any, parentElement: any}} component */
export default function steps({ data, parentElement }) {
  const part = partIn(parentElement, data);
  part.steps.parts.add(part);
  all.set(data.key, part.steps);
  part.update(data);
  return () => setTimeout(() => part.root.isConnected || part.end());
}

/** @typedef {import("./places.mjs").Column} Column */

class Steps {
  constructor(key) {
    this.key = key;
    this.parts = new Set();
    /** @type {Record<string, number>} place of each slider */
    this.places = {};
    this.of = 0; // the number of the figure
    /** @type {Record<string, Column>} column of each slider */
    this.columns = {};
    this.frame = 0;
    this.timer = 0;
    this.chart = this.own = null; // the figure on the page, and the data and layout that the page gave it
    this.applied = null; // the data that this script gave it
    this.step = ""; // the step it shows, as JSON: Python may send a step that is drawn already
    this.drawnIn = ""; // its layout, as JSON
  }

  take(data) {
    if (data.part === "column") this.columns[data.name] = data;
    else {
      this.of = data.of;
      this.places = { ...data.places, ...this.places };
    }
    this.soon();
  }

  /** Follow a slider; return whether the step at its place is known here. @param {string} name @param {number} place */
  move(name, place) {
    this.places[name] = place;
    this.soon();
    return this.current !== undefined;
  }

  get current() {
    return stepAt(Object.values(this.columns), this.of, this.places);
  }

  /** Draw in the next frame, once for all changes until then. */
  soon() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      const step = this.current;
      if (!step) return;
      for (const part of this.parts) part.draw(step);
      this.plot(step);
    });
  }

  plot(step) {
    if (step.arrows) return (/** @type {any} */ (globalThis).embedvizHands?.get(this.key))?.follow(step.arrows);
    const chart = /** @type {any} */ (document.querySelector(`.st-key-${CSS.escape(this.key)} .js-plotly-plot`));
    const plotly = /** @type {any} */ (globalThis).Plotly;
    clearTimeout(this.timer);
    if (!chart?._fullLayout || !plotly) {
      if (this.parts.size) this.timer = setTimeout(() => this.soon(), AGAIN);
      return;
    }
    if (chart !== this.chart) chart.on("plotly_afterplot", () => chart.data === this.applied || this.soon());
    this.chart = chart;
    const ours = chart.data === this.applied;
    if (!ours) this.own = { data: chart.data, layout: chart.layout };
    const text = JSON.stringify([step.data, step.layout]);
    if (ours ? text === this.step : same(step)) return;
    this.step = text;
    const data = this.own.data.map((trace, place) => merged(trace, step.data[place]));
    const frame = JSON.stringify([step.layout, data.map(Object.keys)]);
    if (ours && frame === this.drawnIn && hasFixedFrame(chart)) {
      plotly.animate(chart, { data }, AT_ONCE).catch(() => {}); // a later step ends it
      return;
    }
    this.drawnIn = frame;
    this.applied = structuredClone(data);
    plotly.react(chart, this.applied, merged(this.own.layout, step.layout), chart._context);
  }
}

const isPart = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

/** Return a part of a figure with its changes; those of a list are by index. The arguments stay unchanged. */
function merged(old, changes) {
  if (!isPart(changes) || !(isPart(old) || Array.isArray(old))) return changes;
  const found = /** @type {any} */ (Array.isArray(old) ? [...old] : { ...old });
  for (const [name, value] of Object.entries(changes)) found[name] = merged(found[name], value);
  return found;
}

/** Return whether a step is the figure that the page drew. */
const same = (step) => [step.layout, ...step.data].every((one) => !Object.keys(one).length);

/** Return whether the points of a figure can be drawn alone: no axis takes its range from them. */
function hasFixedFrame({ _fullLayout, _fullData }) {
  const axes = Object.keys(_fullLayout).filter((name) => /^[xy]axis\d*$/.test(name));
  return axes.every((name) => !_fullLayout[name].autorange) && _fullData.every((trace) => trace._module.animatable);
}

/** A part that only receives data of the sliders and shows nothing; the base of the others. */
class Part {
  constructor(parent, steps) {
    this.steps = steps;
    this.root = element("div", { class: "steps" });
    this.written = "";
    parent.append(this.root);
  }

  update(data) {
    const text = JSON.stringify(data);
    if (text !== this.written) this.steps.take(data);
    this.written = text;
  }

  draw(step) {}

  end() {
    this.steps.parts.delete(this);
    if (!this.steps.parts.size && all.get(this.steps.key) === this.steps) all.delete(this.steps.key);
  }
}

/** Add the class names of Streamlit's styles: the script's newer KaTeX writes "katex-sizing" for "sizing". */
function nameAgain(place) {
  for (const one of place.querySelectorAll('[class*="katex-"]')) {
    for (const name of [...one.classList]) if (/^katex-(?!html|mathml|display)/.test(name)) one.classList.add(name.slice("katex-".length));
  }
}

class Formula extends Part {
  /** @type {Promise<any>} */ katex = null;
  /** @type {any} */ typeset = null;
  /** @type {Map<string, Element>} the lines on the page, by their LaTeX */ lines = new Map();

  update(data) {
    const entry = /** @type {HTMLScriptElement} */ (document.querySelector('script[type="module"][src*="static/js/"]'));
    this.katex ??= import(new URL(data.katex, entry.src).href).then((found) => found.default);
    this.draw({ formula: data.now, ...this.steps.current });
  }

  async draw({ formula }) {
    const text = JSON.stringify(formula);
    if (text === this.written) return;
    this.written = text;
    this.typeset ??= await this.katex;
    if (text !== this.written) return; // a newer formula came while the script was loaded
    const lines = new Map(formula.map((line) => [line, this.lines.get(line) ?? this.line(line)]));
    this.lines = lines;
    this.root.replaceChildren(...lines.values());
  }

  /** @param {string} line of LaTeX */
  line(line) {
    const place = element("div");
    this.typeset.render(line, place, { displayMode: true, throwOnError: false, trust: false });
    nameAgain(place);
    return place;
  }
}

class Meaning extends Part {
  /** @type {[string, string][]} for steps that have no meaning of their own */ now = [];

  update(data) {
    this.now = data.now;
    this.draw(this.steps.current ?? {});
  }

  draw({ meaning = this.now }) {
    const text = JSON.stringify(meaning);
    if (text === this.written) return;
    this.written = text;
    const pieces = meaning.map(([piece, tip]) =>
      tip ? element("span", { class: "ev-term", tabindex: 0, "data-tip": tip, "aria-description": tip }, piece) : piece,
    );
    this.root.replaceChildren(element("p", { class: "ev-meaning" }, ...pieces));
  }
}
