/** Points that move as their words learn: the places of a map at every moment of a training, and trails of some words. */

import { leave, passes, placeOf } from "./reel.mjs";

/** @typedef {import("./data.mjs").Geometry} Geometry */
/** @typedef {{row: number, code: number, path: Float32Array}} Trail `code` gives the color; `path` has the word's past positions, the first position first, a number per axis */

const BENDS = 8; // bends of a trail, at most
const CUTS = 2; // rounds of corner cutting (Chaikin 1974)
const HELP = " Comma and full stop step through the moments.";

/**
 * Return all points at an epoch, interpolated between two frames; before the first moment and after the last, as in
 * that frame.
 * @param {Float32Array} frames one after the other @param {ArrayLike<number>} moments of the frames, ascending
 * @param {number} epoch @param {Float32Array} [into]
 */
export function pointsAt(frames, moments, epoch, into) {
  const size = frames.length / moments.length;
  const now = into ?? new Float32Array(size);
  const [place, share] = placeOf(moments, epoch);
  const at = place * size;
  if (!share) now.set(frames.subarray(at, at + size));
  else for (let i = 0; i < size; i++) now[i] = frames[at + i] + (frames[at + size + i] - frames[at + i]) * share;
  return now;
}

/**
 * Return the path of a row up to an epoch.
 * @param {Float32Array} frames @param {ArrayLike<number>} moments @param {number} dimensions @param {number} row @param {number} epoch
 */
export function pathOf(frames, moments, dimensions, row, epoch) {
  const size = frames.length / moments.length;
  const [place, share] = placeOf(moments, epoch);
  const path = new Float32Array(dimensions * (place + (share ? 2 : 1)));
  for (let axis = 0; axis < dimensions; axis++) {
    const at = (moment) => frames[moment * size + dimensions * row + axis];
    for (let moment = 0; moment <= place; moment++) path[dimensions * moment + axis] = at(moment);
    if (share) path[dimensions * (place + 1) + axis] = at(place) + (at(place + 1) - at(place)) * share;
  }
  return path;
}

/**
 * Return a smoothed path: means of `every` consecutive points, with rounded corners; both ends stay.
 * @param {Float32Array} path @param {number} dimensions @param {number} every
 */
export function smoothed(path, dimensions, every) {
  const count = path.length / dimensions;
  if (count < 3) return path;
  const pointAt = (step) => [...path.subarray(step * dimensions, (step + 1) * dimensions)];
  let points = [pointAt(0)];
  for (let from = 1; from < count - 1; from += every) {
    const near = Array.from({ length: Math.min(every, count - 1 - from) }, (_, step) => pointAt(from + step));
    points.push(near[0].map((_, axis) => near.reduce((sum, point) => sum + point[axis], 0) / near.length));
  }
  points.push(pointAt(count - 1));
  for (let round = 0; round < CUTS; round++) {
    const between = (a, b, share) => a.map((value, axis) => value + (b[axis] - value) * share);
    const cut = points.slice(1).flatMap((point, place) => [between(points[place], point, 0.25), between(points[place], point, 0.75)]);
    points = [points[0], ...cut, /** @type {number[]} */ (points.at(-1))];
  }
  return Float32Array.from(points.flat());
}

/** The part of a reel that moves the points of a map. */
export class Film {
  /** @param {import("./view.mjs").View} view @param {import("./reel.mjs").Reel} reel */
  constructor(view, reel) {
    this.view = view;
    this.reel = reel;
    /** @type {number[]} */
    this.rows = [];
    this.name = "";
    this.opened = ""; // the geometry whose trails have been zoomed to
    this.shown = ""; // which moment of which geometry is drawn
    reel.parts.add(this);
    this.keys = (event) => this.key(event);
    view.over.addEventListener("keydown", this.keys);
  }

  /** Set the words that leave trails (-1: not on this map), the name of the run if there are two, and other words with labels. @param {number[]} rows @param {string} [name] @param {number[]} [near] */
  follow(rows, name = "", near = []) {
    this.view.state.named = near.length && rows.length ? new Set([...rows, ...near]) : null;
    [this.rows, this.name, this.shown] = [rows, name, ""];
    const { help } = this.view.shell;
    if (!help.textContent.endsWith(HELP)) help.textContent += HELP;
    this.reel.draw();
  }

  draw() {
    const { view, reel } = this;
    const { state } = view;
    const { geometry } = state;
    if (!geometry?.frames || view.ended) return;
    const { epoch } = reel;
    const rolls = reel.playing || reel.at !== reel.step;
    const now = `${geometry.id} ${epoch} ${rolls}`;
    if (now === this.shown) return;
    this.shown = now;
    const { frames, moments, dimensions, count } = geometry;
    const every = Math.ceil(moments.length / BENDS);
    state.trails = this.rows
      .map((row, code) => ({ row, code, path: new Float32Array(0) }))
      .filter(({ row }) => row >= 0 && row < count)
      .map((trail) => ({ ...trail, path: smoothed(pathOf(frames, moments, dimensions, trail.row, epoch), dimensions, every) }));
    const end = moments.at(-1);
    const at = `${epoch < end ? "" : "after "}epoch ${passes(Math.min(epoch, end))}${epoch < end ? ` of ${passes(end)}` : ""}`;
    const told = reel.playing && reel.steered ? "" : at; // the slider alone says it while the points move
    state.caption = [this.name, told].filter(Boolean).join(" · ");
    view.root.dataset.moment = passes(Math.min(epoch, end));
    state.rolling = rolls;
    if (state.trails.length && this.opened !== geometry.id) {
      if (state.isHome()) view.steering.lookAt(view.steering.aroundTrails());
      this.opened = geometry.id;
    }
    view.moveTo(pointsAt(frames, moments, epoch), 0, state.own ?? undefined);
  }

  /** Comma and full stop: a moment back, a moment on. @param {KeyboardEvent} event */
  key(event) {
    const steps = { ",": -1, ".": 1 };
    if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.reel.go(this.reel.step + steps[event.key]);
  }

  end() {
    this.view.over.removeEventListener("keydown", this.keys);
    leave(this.reel, this);
  }
}
