/** Play, the slider and the speed of a reel. */

import { element, icon } from "../web/elements.mjs";
import { SPEEDS, leave, passes } from "./reel.mjs";

const PAUSE_MS = 250; // ms after a key press in which another may follow
const APART = 0.05; // share of the slider: the least distance of two numbers under it
const ICONS = { play: "M5 3.5v9l7.5-4.5z", stop: "M4 4h8v8H4z" };

const STYLE = `
.player { display: flex; align-items: center; gap: 16px; min-height: 48px; font: 400 16px/1.4 var(--st-font); color: var(--st-text-color);
  font-variant-numeric: tabular-nums; }
.player[hidden], .player [hidden] { display: none; }
.player button { all: unset; box-sizing: border-box; display: inline-flex; align-items: center; gap: 8px; height: 40px; min-width: 86px;
  padding: 0 14px 0 12px; border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius, 6px); cursor: pointer; }
.player button:hover { border-color: currentColor; }
.player button svg { width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.4; stroke-linejoin: round; }
.player button[data-state="stop"] svg { fill: currentColor; stroke: none; }
.player :is(button, select):focus-visible { outline: 2px solid var(--st-text-color); outline-offset: 2px; }
.player .track { position: relative; flex: 1; min-width: 0; --thumb: 14px; }
.player output { position: absolute; top: -4px; left: calc(var(--thumb) / 2 + var(--at) * (100% - var(--thumb)));
  translate: calc(-100% * var(--at)); font-size: 14px; line-height: 18px; white-space: nowrap; pointer-events: none; }
.player .ticks span { position: absolute; top: 35px; left: calc(var(--thumb) / 2 + var(--tick) * (100% - var(--thumb))); translate: -50%;
  font-size: 12px; line-height: 12px; color: color-mix(in srgb, var(--st-text-color) 75%, transparent); pointer-events: none; }
.player input { appearance: none; display: block; width: 100%; height: 24px; margin: 16px 0 0; padding: 0; border: 0; background: none; cursor: pointer;
  --fill: calc(var(--thumb) / 2 + var(--at) * (100% - var(--thumb)));
  --line: color-mix(in srgb, var(--st-text-color) 14%, transparent);
  --rail: linear-gradient(to right, var(--st-text-color) var(--fill), var(--line) var(--fill)); }
.player input::-webkit-slider-runnable-track { height: 4px; border-radius: 2px; background: var(--rail); }
.player input::-moz-range-track { height: 4px; border-radius: 2px; background: var(--rail); }
.player input::-webkit-slider-thumb { appearance: none; width: 14px; height: 14px; margin-top: -5px; border-radius: 50%; border: 0; background: var(--st-text-color); }
.player input::-moz-range-thumb { width: 14px; height: 14px; border-radius: 50%; border: 0; background: var(--st-text-color); }
.player .track input:focus-visible { outline: none; }
.player input:focus-visible::-webkit-slider-thumb { outline: 2px solid var(--st-text-color); outline-offset: 3px; }
.player input:focus-visible::-moz-range-thumb { outline: 2px solid var(--st-text-color); outline-offset: 3px; }
.player select { height: 40px; padding: 0 8px; font: inherit; color: inherit; background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius, 6px); cursor: pointer; }
@media (max-width: 639px) { .player { gap: 10px; } .player input { height: 32px; margin-top: 12px; } .player select { padding: 0 2px; } .player .keep { padding: 0 8px; } }
`;

/** The controls of a reel; a part of the reel. */
export class Player {
  /** @param {HTMLElement | ShadowRoot} parent @param {import("./reel.mjs").Reel} reel */
  constructor(parent, reel) {
    this.reel = reel;
    const sign = icon(ICONS.play);
    this.path = sign.firstElementChild;
    this.word = element("span");
    this.button = element("button", { type: "button" }, sign, this.word);
    this.slider = element("input", { type: "range", min: "0", step: "any", "aria-label": reel.unit === "epoch" ? "Moment of the training" : "Step of the run" });
    this.output = element("output", { "aria-hidden": "true" });
    const speeds = SPEEDS.map((speed) => element("option", { value: speed }, `${{ 0.25: "¼", 0.5: "½" }[speed] ?? speed} ×`));
    this.select = element("select", { "aria-label": "Speed" }, ...speeds);
    this.ticks = element("div", { class: "ticks", "aria-hidden": "true" });
    this.root = element("div", { class: "player" }, this.button, element("div", { class: "track" }, this.output, this.slider, this.ticks), this.select);
    this.style = element("style", {}, STYLE);
    parent.append(this.style, this.root);
    reel.parts.add(this);
    reel.steered = true;
    this.button.addEventListener("click", () => (reel.playing || reel.following ? reel.rest() : reel.play()));
    this.slider.addEventListener("input", () => reel.follow(Number(this.slider.value)));
    this.slider.addEventListener("change", () => reel.go(reel.at));
    this.slider.addEventListener("keydown", (event) => this.key(event));
    this.slider.addEventListener("keyup", () => (this.timer = setTimeout(() => reel.tell(), PAUSE_MS)));
    this.select.addEventListener("change", () => (reel.speed = Number(this.select.value)));
    reel.draw();
  }

  /** Move one moment per key press; notify Python after the last one. @param {KeyboardEvent} event */
  key(event) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5, Home: -Infinity, End: Infinity };
    const { reel } = this;
    if (event.key === " ") {
      event.preventDefault();
      this.button.click();
      return;
    }
    if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    clearTimeout(this.timer);
    reel.go(reel.step + steps[event.key], false);
  }

  draw() {
    const { reel, root, slider } = this;
    const { last, epoch } = reel;
    const playing = reel.playing || reel.following;
    root.hidden = !last;
    this.button.dataset.state = playing ? "stop" : "play";
    this.path.setAttribute("d", ICONS[playing ? "stop" : "play"]);
    this.word.textContent = reel.following ? "Pause" : playing ? "Stop" : "Play";
    slider.max = String(last);
    if (Number(slider.value) !== reel.at) slider.value = String(reel.at);
    const said = `${reel.unit} ${passes(epoch)} of ${passes(reel.stops[last])}`;
    slider.setAttribute("aria-valuetext", said);
    this.output.textContent = said;
    this.select.value = String(reel.speed);
    this.drawTicks();
    root.style.setProperty("--at", String(last ? reel.at / last : 0));
    root.dataset.step = String(reel.step);
    root.dataset.playing = String(playing);
  }

  /** Write the whole epochs under the slider, if they were recorded. */
  drawTicks() {
    const { reel, ticks } = this;
    const what = reel.stops.join();
    if (ticks.dataset.of === what) return;
    ticks.dataset.of = what;
    const made = ticksOf(reel.unit === "epoch" ? reel.stops : []).map(({ at, text }) => {
      const tick = element("span", {}, text);
      tick.style.setProperty("--tick", String(at));
      return tick;
    });
    ticks.replaceChildren(...made);
  }

  end() {
    clearTimeout(this.timer);
    this.reel.steered = false;
    leave(this.reel, this);
  }
}

/** Return the numbers under the slider, each with its place, 0 to 1: the multiples of the smallest round number that have room, and the last whole epoch. @param {number[]} stops ascending */
export function ticksOf(stops) {
  const last = stops.length - 1;
  if (last < 1) return [];
  const whole = stops.map((epoch, step) => ({ at: step / last, epoch, text: passes(epoch) })).filter(({ epoch }) => Math.abs(epoch - Math.round(epoch)) < 1e-4);
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((size) => {
    const found = whole.filter(({ epoch }) => Math.round(epoch) % size === 0);
    const end = whole.at(-1);
    if (end && found.at(-1) !== end) {
      while (found.length > 1 && end.at - found.at(-1).at < APART) found.pop();
      found.push(end);
    }
    return found;
  });
  const fits = every.find((found) => found.every(({ at }, place) => !place || at - found[place - 1].at >= APART));
  return (fits ?? every.at(-1)).map(({ at, text }) => ({ at, text }));
}
