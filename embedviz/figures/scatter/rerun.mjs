/** The run that drew a map: its recorded frames, and a slider that goes back to them. */

import { element } from "../web/elements.mjs";
import { Player } from "./player.mjs";
import { Reel, leave, placeOf } from "./reel.mjs";
import { Bounded } from "./store.mjs";

const MOST_FRAMES = 240;
const MOST_BYTES = 48 << 20;
const EARLIER = "the badge describes the map at step";

/** @typedef {{name: string, at: number, of: number, after: number, keeps: boolean}} Run name of a run, the step of its map or 0 while it moves, its steps in all, the step it goes on from, and whether a step may become a map */

/** Frames of one run, each step once, ascending; every second frame is dropped if there are too many. */
export class Recording {
  constructor() {
    /** @type {Float32Array[]} */
    this.frames = [];
    /** @type {number[]} */
    this.steps = [];
  }

  get last() {
    return this.steps.at(-1) ?? -1;
  }

  get bytes() {
    return this.frames.length * (this.frames[0]?.byteLength ?? 0);
  }

  /** Add a frame; return false if its step is known or it has another number of points. @param {Float32Array} points @param {number} step */
  add(points, step) {
    if (this.steps.includes(step) || (this.frames.length && points.length !== this.frames[0].length)) return false;
    const place = this.steps.filter((one) => one < step).length;
    this.frames.splice(place, 0, points);
    this.steps.splice(place, 0, step);
    while (this.frames.length > 2 && (this.frames.length > MOST_FRAMES || this.bytes > MOST_BYTES)) {
      const stays = (_, place, all) => place % 2 === 0 || place === all.length - 1;
      [this.frames, this.steps] = [this.frames.filter(stays), this.steps.filter(stays)];
    }
    return true;
  }

  /** Return the points at a step, interpolated between two frames. @param {number} step */
  at(step) {
    const [place, share] = placeOf(this.steps, step);
    const [before, next] = [this.frames[place], this.frames[place + 1]];
    return share ? before.map((value, i) => value + (next[i] - value) * share) : before;
  }
}

/** Recordings by the name of their run; they outlive a page change. @type {Bounded<Recording>} */
const recordings = new Bounded(3 * MOST_BYTES, (one) => one.bytes);

/** @param {string} name */
export function recordingOf(name) {
  const found = recordings.get(name) ?? new Recording();
  recordings.set(name, found);
  return found;
}

/** The clock of a run, which can follow the run while it is computed. */
export class RunReel extends Reel {
  constructor() {
    super();
    this.unit = "step";
    this.live = false;
    this.following = false;
  }

  /** Replace the moments; the moment that is shown stays. @param {number[]} stops */
  grow(stops) {
    const { epoch } = this;
    this.stops = stops.length ? stops : [0];
    const [low, share] = placeOf(this.stops, epoch);
    this.at = this.following ? this.last : low + share;
    this.draw();
  }

  catchUp() {
    this.following = this.live;
    this.draw();
  }

  stop() {
    super.stop();
    this.following = false;
  }

  play() {
    if (this.live && this.at >= this.last) this.catchUp();
    else super.play();
  }

  rest() {
    const caught = this.live && this.playing && this.at >= this.last;
    super.rest();
    if (caught) this.catchUp();
  }
}

/** The slider below a map. */
export class Rerun {
  /**
   * @param {import("./view.mjs").View} view @param {HTMLElement | ShadowRoot} parent @param {string} name of the run
   * @param {(step: number) => void} choose makes a step the map
   */
  constructor(view, parent, name, choose) {
    this.view = view;
    this.name = name;
    this.recording = recordingOf(name);
    this.reel = new RunReel();
    this.home = 0; // the step of the map that Python knows; 0 while it moves
    this.keeps = false;
    this.shown = "";
    this.player = new Player(parent, this.reel);
    this.button = element("button", { type: "button", class: "keep", hidden: "" });
    this.button.addEventListener("click", () => choose(this.step));
    this.player.root.append(this.button);
    this.player.select.hidden = true;
    this.reel.parts.add(this);
  }

  /** The recorded step that is shown. */
  get step() {
    return this.recording.steps[this.reel.step] ?? 0;
  }

  /** Follow Python's message about the run. @param {Run} run @param {boolean} live whether the run is still computed @param {import("./data.mjs").Geometry} geometry the map */
  settle(run, live, geometry) {
    const { reel, recording } = this;
    this.keeps = run.keeps;
    if (live) {
      if (!reel.live) [reel.live, reel.following, this.home] = [true, true, 0];
    } else if (reel.live || this.home !== run.at) {
      const paused = reel.live && !reel.following && reel.stops.length > 1;
      [reel.live, this.home] = [false, run.at];
      recording.add(geometry.points, run.at);
      if (paused) this.shown = "";
      else {
        reel.stop();
        reel.at = Math.max(recording.steps.indexOf(run.at), 0);
        this.shown = String(run.at);
      }
    }
    reel.grow(recording.steps);
  }

  /** Take a frame, and return whether the map should go to it. @param {Float32Array} points @param {number} step */
  take(points, step) {
    if (step > this.recording.last && this.recording.add(points, step)) this.reel.grow(this.recording.steps);
    return this.reel.following;
  }

  draw() {
    const { reel, view, recording, button, step } = this;
    const { state } = view;
    const earlier = Boolean(this.home) && step !== this.home;
    button.hidden = !this.keeps || reel.playing || reel.following || !step || step === this.home;
    button.textContent = `Keep step ${step.toLocaleString("en-US")}`;
    if (reel.following || !recording.frames.length || view.ended || !state.geometry) return;
    const now = String(reel.epoch);
    state.rolling = reel.playing;
    if (now === this.shown) return;
    this.shown = now;
    state.caption = earlier ? `step ${Math.round(reel.epoch)} · ${EARLIER} ${this.home}` : "";
    view.root.dataset.moment = String(Math.round(reel.epoch));
    view.moveTo(recording.at(reel.epoch));
  }

  end() {
    const { state } = this.view;
    [state.caption, state.rolling] = ["", false];
    this.player.end();
    this.player.root.remove();
    this.player.style.remove();
    leave(this.reel, this);
    this.reel.stop();
  }
}
