/** The marker of a score chart while the layer moves. It is drawn over Plotly's chart, on Plotly's scales. */
import { element } from "../../../embedviz/figures/web/elements.mjs";

const AGAIN = 150; // ms between two checks whether Plotly has drawn the new layer
const LONGEST = 60; // greatest number of checks

/**
 * Return the value of a curve by linear interpolation; beyond its ends, the value of the end.
 * @param {number[]} xs @param {number[]} ys @param {number} x
 */
export function valueAt(xs, ys, x) {
  const next = xs.findIndex((each) => each >= x);
  if (next < 0) return ys[ys.length - 1];
  if (next === 0 || xs[next] === x) return ys[next];
  const part = (x - xs[next - 1]) / (xs[next] - xs[next - 1]);
  return ys[next - 1] + part * (ys[next] - ys[next - 1]);
}

/** Return the index of the point of a curve nearest to `x`. @param {number[]} xs @param {number} x */
export function nearest(xs, x) {
  return xs.reduce((best, each, place) => (Math.abs(each - x) < Math.abs(xs[best] - x) ? place : best), 0);
}

/** A dot and its value, which follow the layer of a movie. */
export class Marker {
  /** @param {string} key of the container of the chart */
  constructor(key) {
    this.key = key;
    this.dot = element("i", { "aria-hidden": "true", style: "position:absolute;width:15px;height:15px;border-radius:50%;translate:-50% -50%;pointer-events:none;z-index:2" });
    this.text = element("b", { "aria-hidden": "true", style: "position:absolute;font-size:15px;translate:-50% -50%;pointer-events:none;z-index:2;white-space:nowrap" });
    this.timer = 0;
  }

  /**
   * @param {number} layer current layer of the movie, may be fractional
   * @param {{ink: string, bg: string}} look @param {boolean} moving @param {number} tries
   */
  draw(layer, look, moving, tries = 0) {
    clearTimeout(this.timer);
    const chart = /** @type {any} */ (document.querySelector(`.st-key-${this.key} .js-plotly-plot`));
    const [curve, marked] = ["scores", "marked"].map((name) => chart?.data?.find((trace) => trace.meta === name));
    const [xaxis, yaxis] = [chart?._fullLayout?.xaxis, chart?._fullLayout?.yaxis];
    if (!curve || !xaxis?.l2p) return this.end();
    const settled = !moving && marked?.x?.[0] === layer;
    this.hide(chart, !settled);
    if (settled) return this.end();
    const [xs, ys] = [[...curve.x], [...curve.y]];
    const x = xaxis._offset + xaxis.l2p(Math.min(Math.max(layer, xs[0]), xs[xs.length - 1]));
    const y = yaxis._offset + yaxis.l2p(valueAt(xs, ys, layer));
    this.text.textContent = curve.customdata[nearest(xs, layer)][0];
    Object.assign(this.dot.style, { left: `${x}px`, top: `${y}px`, background: look.ink });
    Object.assign(this.text.style, { left: `${x}px`, top: `${y - 19}px`, color: look.ink });
    if (this.dot.parentElement !== chart) chart.append(this.dot, this.text);
    if (!moving && tries < LONGEST) this.timer = setTimeout(() => this.draw(layer, look, false, tries + 1), AGAIN);
  }

  /** Hide or show Plotly's own marker of the layer chosen before. @param {any} chart @param {boolean} hidden */
  hide(chart, hidden) {
    const traces = [...chart.querySelectorAll(".scatterlayer .trace")].filter((node) => node.__data__?.[0]?.trace?.meta === "marked");
    const place = (chart._fullLayout.annotations ?? []).findIndex((each) => each.name === "marked");
    const notes = place < 0 ? [] : [...chart.querySelectorAll(`.annotation[data-index="${place}"]`)];
    for (const node of [...traces, ...notes]) node.style.visibility = hidden ? "hidden" : "";
  }

  end() {
    clearTimeout(this.timer);
    this.dot.remove();
    this.text.remove();
  }
}
