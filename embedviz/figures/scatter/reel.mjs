/** The clock of a training: the moment that all its figures show, and Play. */

import { still } from "../web/elements.mjs";
import { clamp } from "../web/numbers.mjs";

const WHOLE_MS = 12_000; // ms for all moments at speed 1
const LEAST_MS = 120; // ms from one moment to the next
const MOST_MS = 900;
const STILL_MS = 900; // ms at each moment if the reader wants no motion
export const SPEEDS = [0.25, 0.5, 1, 2, 4]; // the slowest leaves time to talk

/**
 * Return where a value lies among ascending numbers: the index of the number below it, and the share of the way to the
 * next number, 0 to 1. A value before the first or after the last number gets that index and 0.
 * @param {ArrayLike<number>} numbers @param {number} value
 * @returns {[number, number]}
 */
export function placeOf(numbers, value) {
  let [low, high] = [0, numbers.length - 1];
  if (high < 1 || value <= numbers[0]) return [0, 0];
  if (value >= numbers[high]) return [high, 0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= value) low = middle;
    else high = middle;
  }
  return [low, (value - numbers[low]) / (numbers[high] - numbers[low])];
}

/** Return a number of epochs as text, without zeros at the end. @param {number} value */
export function passes(value) {
  const digits = value >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

/** The clock. Each part has `draw()`; a part may have `tell(step)`, which is called when the clock comes to rest. */
export class Reel {
  constructor() {
    /** @type {Set<{draw: () => void, tell?: (step: number) => void}>} */
    this.parts = new Set();
    /** Epoch of each moment, ascending. @type {number[]} */
    this.stops = [0];
    this.unit = "epoch"; // unit of a moment
    this.following = false; // whether the newest moment of a running job is followed
    this.at = 0; // present position among the moments, perhaps between two
    this.speed = 1;
    this.playing = false;
    this.steered = false; // whether a slider shows the moment
    this.frame = 0;
    this.timer = 0;
    this.dirty = 0;
    /** @type {number | null} the step that Python gave last */
    this.told = null;
    /** @type {number[]} values sent to Python and not yet answered */
    this.sent = [];
  }

  get last() {
    return this.stops.length - 1;
  }

  get step() {
    return Math.round(this.at);
  }

  /** The epoch that is shown, interpolated. */
  get epoch() {
    const low = clamp(Math.floor(this.at), 0, this.last);
    const high = Math.min(low + 1, this.last);
    return this.stops[low] + (this.stops[high] - this.stops[low]) * (this.at - low);
  }

  /** Set the moments and the one to show, unless Python only echoes a value sent from here. @param {number[]} stops @param {number} step */
  take(stops, step) {
    const other = stops.length !== this.stops.length || stops.some((stop, place) => stop !== this.stops[place]);
    const echo = this.sent.indexOf(step);
    const moved = step !== this.told;
    this.told = step;
    if (other) {
      this.stop();
      [this.stops, this.sent] = [stops, []];
      this.at = clamp(step, 0, this.last);
    } else if (echo >= 0) this.sent.splice(0, echo + 1);
    else if (moved) {
      this.stop();
      this.at = clamp(step, 0, this.last);
    }
    this.draw();
  }

  /** Draw all parts, once per frame of the screen. */
  draw() {
    this.dirty ||= requestAnimationFrame(() => {
      this.dirty = 0;
      for (const part of this.parts) part.draw();
    });
  }

  /** Go to a position between the moments; to the nearest moment if the reader wants no motion. @param {number} at */
  follow(at) {
    this.stop();
    this.at = clamp(still() ? Math.round(at) : at, 0, this.last);
    this.draw();
  }

  /** Go to a moment. @param {number} step @param {boolean} [tell] whether to send the step to Python */
  go(step, tell = true) {
    this.stop();
    this.at = clamp(Math.round(step), 0, this.last);
    if (tell) this.tell();
    this.draw();
  }

  /** Go to the moment nearest to this epoch. @param {number} epoch */
  seek(epoch) {
    const [low, share] = placeOf(this.stops, epoch);
    this.go(low + Math.round(share));
  }

  tell() {
    if (this.step === (this.sent.length ? this.sent.at(-1) : this.told)) return;
    const told = [...this.parts].filter((part) => part.tell);
    if (told.length) this.sent.push(this.step);
    for (const part of told) part.tell(this.step);
  }

  stop() {
    this.playing = false;
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
  }

  /** Milliseconds from one moment to the next. */
  get pace() {
    return clamp(WHOLE_MS / Math.max(this.last, 1), LEAST_MS, MOST_MS) / this.speed;
  }

  /** Play on from the present position, or from the first moment if it is at the last. */
  play() {
    this.stop();
    if (this.at >= this.last) this.at = 0;
    this.playing = true;
    this.draw();
    if (still()) this.skip();
    else this.run(performance.now());
  }

  /** @param {number} before */
  run(before) {
    this.frame = requestAnimationFrame((now) => {
      if (!this.playing || !this.parts.size) return;
      this.at = Math.min(this.at + Math.max(now - before, 0) / this.pace, this.last);
      this.draw();
      if (this.at < this.last) this.run(now);
      else this.rest();
    });
  }

  /** Step from moment to moment, without movement in between. */
  skip() {
    this.timer = setTimeout(() => {
      if (!this.playing || !this.parts.size) return;
      this.at = Math.min(Math.floor(this.at) + 1, this.last);
      this.draw();
      if (this.at < this.last) this.skip();
      else this.rest();
    }, STILL_MS / this.speed);
  }

  /** Come to rest at the nearest moment, at the end of Play or in a pause, and tell Python. */
  rest() {
    this.go(this.at);
  }
}

/** By name, shared by the parts of a page. @type {Map<string, Reel>} */
const reels = new Map();

/** @param {string} name */
export function reelOf(name) {
  if (!reels.has(name)) reels.set(name, new Reel());
  return reels.get(name);
}

/** Remove a part from its clock, and the clock with its last part. @param {Reel} reel @param {any} part */
export function leave(reel, part) {
  reel.parts.delete(part);
  if (reel.parts.size) return;
  reel.stop();
  for (const [name, one] of reels) if (one === reel) reels.delete(name);
}
