/** Small charts by epoch, each with its baselines, and a marker at the moment that the reel shows. */

import { drawn, element } from "../web/elements.mjs";
import { answerDrawing } from "../web/mounting.mjs";
import { decimal } from "../web/numbers.mjs";
import { lookOf } from "./palette.mjs";
import { leave, passes, placeOf } from "./reel.mjs";

/**
 * @typedef {object} Chart
 * @property {string} title
 * @property {string} about what is measured, on what
 * @property {"number" | "share"} unit
 * @property {{label: string, epochs: number[], values: number[]}[]} baselines a single value holds for all epochs
 * @property {boolean} dots whether it was measured at few moments, so that nothing is drawn between them
 * @property {{name: string, epochs: number[], values: number[], place: number, marked?: number | null}[]} lines one per run; `place` among the runs gives the color, and a ring marks the line at the epoch `marked`
 */

const HEIGHT = { wide: 92, narrow: 84 };
const LEFT = 2;
const MARK = 12; // least distance in pixels from the lower end of the axis to a baseline for the end to have a number
const RIGHT = 56; // with the values of the highest and the lowest point

const STYLE = `
.curves { font: 400 13px/1.4 var(--st-font); color: var(--st-text-color); transition: color .02s; font-variant-numeric: tabular-nums;
  --muted: color-mix(in srgb, var(--st-text-color) 72%, transparent); display: grid; grid-template-columns: repeat(var(--columns), minmax(0, 1fr)); gap: 14px 32px; }
.curves figure { margin: 0; min-width: 0; }
.curves figcaption { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0 12px; }
.curves figcaption b { font-weight: 600; font-size: 15px; overflow-wrap: anywhere; }
.curves figcaption span { font-size: 15px; }
.curves p { margin: 0; color: var(--muted); }
.curves svg { display: block; width: 100%; cursor: pointer; touch-action: pan-y; }
.curves .swatch { display: inline-block; font-weight: 600; white-space: nowrap; }
.curves .swatch + .swatch { margin-left: 10px; }
`;

/** Return a value as text: two decimals, or whole percents above 1 %. @param {number} value @param {Chart["unit"]} unit */
export function said(value, unit) {
  if (unit === "share") {
    const percent = 100 * value;
    return `${percent >= 0.95 || percent <= 0 ? whole(percent) : percent >= 0.1 ? percent.toFixed(1) : Number(percent.toPrecision(2))}\u00a0%`;
  }
  return decimal(value);
}

/** Return the nearest whole number; if two are equally near, the even one, as in Python. @param {number} value */
function whole(value) {
  const up = Math.round(value);
  return up - value === 0.5 && up % 2 ? up - 1 : up;
}

const SAME = 1e-3; // epochs: the same moment may be rounded differently

/** Return the index of a line's last measurement up to an epoch, or -1. @param {Chart["lines"][number]} line @param {number} epoch */
export function measured({ epochs }, epoch) {
  if (!epochs.length || epoch < epochs[0] - SAME) return -1;
  return placeOf(epochs, epoch + SAME)[0];
}

/** Return the value of a line or baseline at an epoch, interpolated. @param {{epochs: number[], values: number[]}} line @param {number} epoch */
function valueAt({ epochs, values }, epoch) {
  const [place, share] = placeOf(epochs, epoch);
  return share ? values[place] + (values[place + 1] - values[place]) * share : values[place];
}

/** Return the range of a chart's y axis: all its lines and baselines, with a margin. @param {Chart} chart @returns {[number, number]} */
export function rangeOf({ lines, baselines, unit }) {
  const every = [...lines, ...baselines].flatMap(({ values }) => values);
  let [low, high] = [Math.min(...every), Math.max(...every)];
  if (unit === "share") low = Math.min(0, low);
  const air = 0.06 * (high - low) || 0.5;
  return [unit === "share" && low === 0 ? 0 : low - air, high + air];
}

/** Return whether the names of several baselines have no room in a chart, so that they stand below it. @param {Chart} chart @param {number} width */
const crowded = ({ baselines }, width) => baselines.length > 1 && width < 560;

/** The charts of one reel; a part of the reel. */
export class Curves {
  /** @param {HTMLElement | ShadowRoot} parent @param {import("./reel.mjs").Reel} reel */
  constructor(parent, reel) {
    this.reel = reel;
    /** @type {Chart[]} */
    this.charts = [];
    this.drawn = "";
    this.root = element("div", { class: "curves" });
    parent.append(element("style", {}, STYLE), this.root);
    this.watcher = new ResizeObserver(() => reel.draw());
    this.watcher.observe(this.root);
    this.root.addEventListener("transitionend", () => reel.draw());
    this.columns = 1;
    this.columnsNow = 1;
    this.chart = ""; // the name under which the export row finds it
    /** @type {Panel[]} */
    this.panels = [];
    this.silence = answerDrawing(() => this.chart, () => this.drawing());
    reel.parts.add(this);
  }

  /** @param {Chart[]} charts @param {number} columns @param {string} chart the name under which the export row finds it */
  show(charts, columns, chart) {
    [this.charts, this.columns, this.chart, this.drawn] = [charts, columns, chart, ""];
    this.reel.draw();
  }

  look() {
    const style = getComputedStyle(this.root);
    return lookOf((name) => style.getPropertyValue(name));
  }

  draw() {
    const { root, reel, charts } = this;
    const width = root.clientWidth;
    if (!width) return;
    const look = this.look();
    const narrow = width < 560;
    this.columnsNow = narrow ? 1 : Math.min(this.columns, charts.length || 1);
    root.style.setProperty("--columns", String(this.columnsNow));
    const now = `${width} ${look.bg} ${reel.stops.at(-1)}`;
    if (this.drawn !== now) {
      this.drawn = now;
      root.replaceChildren(...charts.map((chart) => this.figure(chart)));
      this.panels = charts.map((chart, place) => new Panel(chart, root.children[place].querySelector("svg"), reel, look));
    }
    for (const [place, panel] of this.panels.entries()) {
      panel.mark(reel.epoch);
      root.children[place].querySelector("figcaption span").replaceChildren(...panel.values(reel.epoch));
    }
    root.dataset.epoch = passes(reel.epoch);
  }

  /** @param {Chart} chart */
  figure(chart) {
    const svg = drawn("svg", { role: "img", "aria-label": `${chart.title} by epoch. ${chart.about}` });
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      this.reel.seek(((event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT)) * this.reel.stops.at(-1));
    });
    return element("figure", {}, element("figcaption", {}, element("b", {}, chart.title), element("span")), svg, element("p", {}, [chart.about, ...(crowded(chart, this.root.clientWidth / this.columnsNow) ? chart.baselines.map(({ label }) => label) : [])].join(" · ")));
  }

  /** Return all charts as one drawing that needs no style sheet. */
  drawing() {
    const look = this.look();
    const [width, room] = [640, HEIGHT.wide + 46];
    const root = drawn("svg", { width, height: room * this.charts.length, viewBox: `0 0 ${width} ${room * this.charts.length}`, class: "main-svg", "font-family": look.font.replaceAll('"', "'") });
    for (const [place, chart] of this.charts.entries()) {
      const part = drawn("g", { transform: `translate(0 ${place * room})` });
      const title = drawn("text", { x: LEFT, y: 16, "font-size": 15, "font-weight": 600, fill: look.ink });
      title.textContent = chart.title;
      const value = drawn("text", { x: width - RIGHT, y: 16, "font-size": 15, "text-anchor": "end", fill: look.ink });
      const inner = drawn("g", { transform: "translate(0 24)" });
      const panel = new Panel(chart, inner, this.reel, look, width);
      panel.mark(this.reel.epoch);
      value.textContent = panel.values(this.reel.epoch).map((one) => one.textContent).join("  ");
      part.append(title, value, inner);
      root.append(part);
    }
    return root;
  }

  end() {
    this.watcher.disconnect();
    this.silence();
    leave(this.reel, this);
  }
}

/** One chart as it is drawn. */
class Panel {
  /** @param {Chart} chart @param {SVGElement} into @param {import("./reel.mjs").Reel} reel @param {import("./palette.mjs").Look} look @param {number} [width] */
  constructor(chart, into, reel, look, width = into.clientWidth) {
    this.chart = chart;
    this.look = look;
    this.width = width;
    const height = width < 400 ? HEIGHT.narrow : HEIGHT.wide;
    this.bottom = height - 20;
    this.end = reel.stops.at(-1) || 1;
    const [low, high] = rangeOf(chart);
    this.low = low;
    this.high = high;
    if (into instanceof SVGSVGElement) {
      into.setAttribute("viewBox", `0 0 ${width} ${height}`);
      into.setAttribute("height", String(height));
    }
    const line = (x0, y0, x1, y1, more) => into.append(drawn("line", { x1: x0, y1: y0, x2: x1, y2: y1, ...more }));
    line(LEFT, this.bottom, width - RIGHT, this.bottom, { stroke: look.border });
    for (const epoch of ticksOf(this.end)) {
      const text = drawn("text", { x: this.x(epoch), y: height - 4, "font-size": 12, fill: look.muted, "text-anchor": epoch === 0 ? "start" : epoch === this.end ? "end" : "middle" });
      text.textContent = epoch === 0 ? "0 epochs" : passes(epoch);
      into.append(text);
    }
    const every = [...chart.lines, ...chart.baselines].flatMap(({ values }) => values);
    const ends = every.length ? [Math.max(...every), chart.unit === "share" && low === 0 ? 0 : Math.min(...every)] : [];
    const named = chart.baselines.map(({ values }) => this.y(values.at(-1)));
    for (const [place, value] of ends.entries()) {
      if (place && named.some((y) => Math.abs(y - this.y(value)) < MARK)) continue; // the baseline has its own number
      const text = drawn("text", { x: width - RIGHT + 7, y: Math.min(this.bottom, Math.max(9, this.y(value) + 4)), "font-size": 11, fill: look.muted });
      const lasts = chart.lines.map(({ values }) => said(values.at(-1), chart.unit));
      text.textContent = `${place || lasts.includes(said(value, chart.unit)) ? "" : "max "}${said(value, chart.unit)}`;
      into.append(text);
    }
    const path = ({ epochs, values }) => values.map((value, k) => `${k ? "L" : "M"}${this.x(epochs[k]).toFixed(1)} ${this.y(value).toFixed(1)}`).join("");
    const dotted = { fill: "none", stroke: look.ink, "stroke-width": 1.25, "stroke-dasharray": "1.5 3" };
    const own = chart.baselines.length > 1 && chart.baselines.length === chart.lines.length; // each run has its own
    for (const [place, { epochs, values }] of chart.baselines.entries()) {
      const stroke = own ? look.categorical[chart.lines[place].place] : look.ink;
      if (chart.dots && values.length > 1) {
        for (const [k, value] of values.entries()) line(this.x(epochs[k]) - 3.5, this.y(value), this.x(epochs[k]) + 3.5, this.y(value), { stroke, "stroke-width": 1.5 });
        continue;
      }
      const whole = values.length > 1 ? { epochs, values } : { epochs: [0, this.end], values: [values[0], values[0]] };
      into.append(drawn("path", { d: path(whole), ...dotted, stroke }));
    }
    for (const one of chart.lines) {
      if (chart.dots) {
        for (const [k, value] of one.values.entries()) into.append(drawn("circle", { cx: this.x(one.epochs[k]), cy: this.y(value), r: 2.75, fill: look.categorical[one.place] }));
      } else if (one.values.length) into.append(drawn("path", { d: path(one), fill: "none", stroke: look.categorical[one.place], "stroke-width": 2, "stroke-linejoin": "round" }));
    }
    const taken = chart.lines.filter(({ marked }) => marked != null).map((one) => this.named(into, one, one.marked));
    for (const baseline of crowded(chart, width) ? [] : chart.baselines) {
      const room = this.roomFor(6.2 * baseline.label.length, this.y(baseline.values.at(-1)), taken);
      const text = drawn("text", { x: room.x, y: room.y, "font-size": 12, fill: look.muted, stroke: look.bg, "stroke-width": 3, "paint-order": "stroke" });
      text.textContent = baseline.label;
      into.append(text);
    }
    this.rule = drawn("line", { y1: 0, y2: this.bottom, stroke: look.ink, "stroke-width": 1, opacity: 0.5 });
    this.dots = chart.lines.map(({ place }) => drawn("circle", { r: 4.5, fill: look.categorical[place], stroke: look.bg, "stroke-width": 1.5 }));
    into.append(this.rule, ...this.dots);
  }

  /** Draw a ring and the value at a point of a line; return the place of its label. @param {SVGElement} into @param {Chart["lines"][number]} line @param {number} epoch */
  named(into, line, epoch) {
    const value = valueAt(line, epoch);
    const label = said(value, this.chart.unit);
    const [cx, cy, width] = [this.x(epoch), this.y(value), 6.2 * label.length + 8];
    const place = { x: Math.min(cx + 4, LEFT + this.wide - width), y: cy + 18 < this.bottom ? cy + 18 : cy - 9, width };
    const color = this.look.categorical[line.place];
    const text = drawn("text", { x: place.x, y: place.y, "font-size": 12, fill: this.look.ink, stroke: this.look.bg, "stroke-width": 3, "paint-order": "stroke" });
    text.textContent = label;
    into.append(text, drawn("circle", { cx, cy, r: 4, fill: this.look.bg, stroke: color, "stroke-width": 2 }));
    return place;
  }

  /** Find the place of a label above or below its baseline, far from all lines and clear of the places already taken. @param {number} width @param {number} y @param {{x: number, y: number, width: number}[]} taken */
  roomFor(width, y, taken) {
    let [best, most] = [{ x: LEFT, y: y - 4 }, -Infinity];
    for (const base of [y - 4, y + 13, y - 10, y - 16, y - 22]) {
      if (base < 12 || base > this.bottom - 1) continue;
      if (base < y - 4 && most > -Infinity) break; // farther away only if there is no room next to the baseline
      for (let x = LEFT; x <= LEFT + this.wide - width; x += 8) {
        let gap = 40;
        if (taken.some((one) => Math.abs(one.y - base) < 14 && one.x < x + width && x < one.x + one.width)) continue;
        for (let at = x - 10; at <= x + width + 10; at += 4) {
          for (const one of this.chart.baselines) if (one.values.length > 1 && Math.abs(this.y(valueAt(one, ((at - LEFT) / this.wide) * this.end)) - base + 5) < 8) gap = -Infinity;
          for (const one of this.chart.lines) if (one.values.length) gap = Math.min(gap, Math.abs(this.y(valueAt(one, ((at - LEFT) / this.wide) * this.end)) - base + 5));
        }
        if (gap > most + 0.5) [best, most] = [{ x, y: base }, gap];
      }
    }
    taken.push({ ...best, width });
    return best;
  }

  get wide() {
    return this.width - LEFT - RIGHT;
  }

  /** @param {number} epoch */
  x(epoch) {
    return LEFT + (epoch / this.end) * this.wide;
  }

  /** @param {number} value */
  y(value) {
    return this.bottom - ((value - this.low) / (this.high - this.low)) * (this.bottom - 4);
  }

  /** @param {number} epoch */
  mark(epoch) {
    for (const name of ["x1", "x2"]) this.rule.setAttribute(name, String(this.x(epoch)));
    for (const [place, line] of this.chart.lines.entries()) {
      const [dot, at] = [this.dots[place], measured(line, epoch)];
      dot.setAttribute("visibility", at >= 0 ? "visible" : "hidden");
      if (at < 0) continue;
      dot.setAttribute("cx", String(this.x(line.epochs[at])));
      dot.setAttribute("cy", String(this.y(line.values[at])));
    }
  }

  /** Return the last measured value of each run, in the run's color if there are several runs. @param {number} epoch */
  values(epoch) {
    const { lines, unit } = this.chart;
    return lines.map((line) => {
      const at = measured(line, epoch);
      const late = at >= 0 && this.chart.dots && epoch - line.epochs[at] > SAME;
      const text = at >= 0 ? `${said(line.values[at], unit)}${late ? ` at epoch ${passes(line.epochs[at])}` : ""}` : "–";
      const part = element("span", { class: "swatch" }, lines.length > 1 ? `${line.name} ${text}` : text);
      if (lines.length > 1) part.style.color = this.look.categorical_labels[line.place];
      return part;
    });
  }
}

/** Return the ticks of the epoch axis: both ends, and some whole epochs between them. @param {number} end */
function ticksOf(end) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((size) => end / size <= 5.5) ?? end;
  const between = [];
  for (let at = step; at < end - 0.3 * step; at += step) between.push(at);
  return [0, ...between, end];
}
