/** The dates of a map as a slider with two ends: only points between them are shown; Play moves them. */

import { drawn, element, icon, still } from "../web/elements.mjs";
import { dateText, histogram } from "./facets.mjs";

const BINS = 60;
const PLAY_MS = 9000; // from the first to the last date
const STEP_MS = 800; // ms per step if the reader wants no motion
const STEPS = 12;
const ICONS = { play: "M5 3.5v9l7.5-4.5z", stop: "M4 4h8v8H4z" };

const STYLE = `
.timeline { display: flex; align-items: center; gap: 12px; padding: 6px 0 2px; font: 400 14px/1.3 var(--st-font), sans-serif; color: var(--st-text-color); font-variant-numeric: tabular-nums; }
.timeline[hidden] { display: none; }
.timeline button { all: unset; box-sizing: border-box; display: inline-flex; align-items: center; gap: 6px; height: 36px; padding: 0 12px 0 10px; border: 1px solid var(--st-border-color); border-radius: 6px; cursor: pointer; }
.timeline button:hover { border-color: currentColor; }
.timeline button svg { width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.4; stroke-linejoin: round; }
.timeline button:focus-visible { outline: 2px solid var(--st-text-color); outline-offset: 2px; }
.timeline .track { position: relative; flex: 1; min-width: 120px; height: 46px; }
.timeline .bins { position: absolute; left: 7px; right: 7px; top: 0; width: calc(100% - 14px); height: 26px; }
.timeline .bins rect { fill: currentColor; opacity: .22; }
.timeline .bins rect.in { opacity: .75; }
.timeline .rail { position: absolute; left: 7px; right: 7px; top: 33px; height: 4px; border-radius: 2px; background: color-mix(in srgb, currentColor 14%, transparent); }
.timeline .rail i { position: absolute; top: 0; bottom: 0; left: calc(100% * var(--from)); right: calc(100% * (1 - var(--to))); background: currentColor; border-radius: 2px; }
.timeline input { appearance: none; position: absolute; left: 0; top: 24px; width: 100%; height: 22px; margin: 0; padding: 0; border: 0; background: none; pointer-events: none; }
.timeline input::-webkit-slider-thumb { appearance: none; pointer-events: auto; width: 14px; height: 22px; border: 2px solid var(--st-background-color); border-radius: 7px; background: var(--st-text-color); cursor: ew-resize; }
.timeline input::-moz-range-thumb { pointer-events: auto; width: 10px; height: 18px; border: 2px solid var(--st-background-color); border-radius: 7px; background: var(--st-text-color); cursor: ew-resize; }
.timeline input:focus-visible { outline: none; }
.timeline input:focus-visible::-webkit-slider-thumb { outline: 2px solid var(--st-text-color); outline-offset: 1px; }
.timeline input:focus-visible::-moz-range-thumb { outline: 2px solid var(--st-text-color); outline-offset: 1px; }
.timeline output { min-width: 13em; }
.timeline output strong { font-weight: 600; }
@media (max-width: 640px) { .timeline { flex-wrap: wrap; } .timeline .track { flex: 1 0 60%; } .timeline output { width: 100%; } .timeline button { height: 40px; } .timeline input::-webkit-slider-thumb { width: 22px; height: 30px; } .timeline input { top: 20px; height: 30px; } }
`;

/**
 * Return the dates to show while playing: a span moves on and stops at the end; the whole range grows from its
 * beginning.
 * @param {[number, number]} range as playing began @param {number} low @param {number} high @param {number} share 0 to 1 of the way
 * @returns {[number, number]}
 */
export function playedRange([from, to], low, high, share) {
  const whole = from <= low && to >= high;
  if (whole) return [low, low + (high - low) * share];
  const start = to >= high ? low : from; // again from the beginning once the end was reached
  const way = high - (start + to - from);
  return [start + way * share, start + way * share + (to - from)];
}

/** The slider; a part of the filter. */
export class Timeline {
  /** @param {HTMLElement | ShadowRoot} parent @param {import("./filter.mjs").Filter} filter */
  constructor(parent, filter) {
    this.filter = filter;
    /** @type {{range: [number, number], since: number} | null} */ this.playing = null;
    this.requested = 0;
    /** @type {import("./facets.mjs").Dates | null} */ this.time = null;
    const sign = icon(ICONS.play);
    this.path = sign.firstElementChild;
    this.word = element("span", {}, "Play");
    this.button = element("button", { type: "button" }, sign, this.word);
    const end = (name) => element("input", { type: "range", "aria-label": name });
    const [from, to] = [end("First date"), end("Last date")];
    this.from = from;
    this.to = to;
    this.bins = drawn("svg", { class: "bins", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.rail = element("div", { class: "rail" }, element("i"));
    this.output = element("output", { "aria-live": "off" });
    this.root = element("div", { class: "timeline", role: "group", hidden: "" }, this.button, element("div", { class: "track" }, this.bins, this.rail, this.from, this.to), this.output);
    this.style = element("style", {}, STYLE);
    parent.append(this.style, this.root);
    this.button.addEventListener("click", () => (this.playing ? this.stop() : this.play()));
    for (const input of [this.from, this.to]) {
      input.addEventListener("input", () => this.slid(input));
      input.addEventListener("change", () => this.filter.between(this.filter.range));
    }
    filter.parts.push(this);
  }

  /** The dates that are shown. @returns {[number, number]} */
  get range() {
    return this.filter.range ?? [this.time.low, this.time.high];
  }

  /** @param {HTMLInputElement} input */
  slid(input) {
    this.stop(false);
    let [from, to] = [Number(this.from.value), Number(this.to.value)];
    if (from > to) [from, to] = input === this.from ? [to, to] : [from, from];
    this.filter.between(this.given(from, to), true);
  }

  /** Return a span of dates in whole numbers; null if it covers all dates. @param {number} from @param {number} to @returns {[number, number] | null} */
  given(from, to) {
    return from <= this.time.low && to >= this.time.high ? null : [Math.floor(from), Math.floor(to)];
  }

  play() {
    this.playing = { range: this.range, since: performance.now() };
    this.step();
  }

  step = () => {
    if (!this.playing || !this.time || !this.root.isConnected) return;
    const { low, high } = this.time;
    const calm = still();
    const passed = (performance.now() - this.playing.since) / (calm ? STEP_MS * STEPS : PLAY_MS);
    const share = Math.min(calm ? Math.floor(passed * STEPS + 1) / STEPS : passed, 1);
    const [from, to] = playedRange(this.playing.range, low, high, share);
    this.filter.between(share >= 1 ? this.given(from, to) : [Math.floor(from), Math.floor(to)], true);
    if (share >= 1) this.stop();
    else if (calm) this.requested = window.setTimeout(this.step, STEP_MS);
    else this.requested = requestAnimationFrame(this.step);
  };

  /** @param {boolean} [done] whether the choice is final and is sent to Python */
  stop(done = true) {
    if (!this.playing) return;
    this.playing = null;
    cancelAnimationFrame(this.requested);
    clearTimeout(this.requested);
    if (done) this.filter.between(this.filter.range);
    else this.draw();
  }

  draw() {
    const time = this.filter.facets?.time ?? null;
    this.root.hidden = !time || time.high <= time.low;
    if (time !== this.time) {
      this.playing = null;
      this.time = time;
      if (time) this.furnish(time);
    }
    if (!time) return;
    const [from, to] = this.range;
    const span = time.high - time.low || 1;
    const shares = [from, to].map((value) => Math.min(Math.max((value - time.low) / span, 0), 1));
    for (const [input, value] of /** @type {[HTMLInputElement, number][]} */ ([[this.from, from], [this.to, to]])) {
      if (Number(input.value) !== value) input.value = String(value);
      input.setAttribute("aria-valuetext", dateText(value, time.unit));
    }
    this.from.style.zIndex = shares[0] > 0.5 ? "2" : "1"; // so that both ends can be taken where they meet
    this.to.style.zIndex = "1";
    this.root.style.setProperty("--from", String(shares[0]));
    this.root.style.setProperty("--to", String(shares[1]));
    for (const [k, bar] of [...this.bins.children].entries()) bar.classList.toggle("in", (k + 1) / BINS > shares[0] && k / BINS < shares[1] + 1e-9);
    this.path.setAttribute("d", ICONS[this.playing ? "stop" : "play"]);
    this.word.textContent = this.playing ? "Stop" : "Play";
    this.output.replaceChildren(element("strong", {}, `${dateText(from, time.unit)} – ${dateText(to, time.unit)}`));
  }

  /** @param {import("./facets.mjs").Dates} time */
  furnish(time) {
    this.root.setAttribute("aria-label", `Dates: ${time.title}`);
    for (const input of [this.from, this.to]) for (const [name, value] of Object.entries({ min: time.low, max: time.high, step: 1 })) input.setAttribute(name, String(value));
    const counts = histogram(time, BINS);
    const most = Math.max(...counts, 1);
    this.bins.setAttribute("viewBox", `0 0 ${BINS} 1`);
    this.bins.replaceChildren(...counts.map((count, k) => drawn("rect", { x: k + 0.1, width: 0.8, y: 1 - Math.sqrt(count / most), height: Math.sqrt(count / most) })));
  }

  end() {
    this.stop(false);
    this.root.remove();
    this.style.remove();
  }
}
