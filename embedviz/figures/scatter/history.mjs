/** Undo and redo of what a reader did on a map: where the camera came to rest, and what was selected. */

import { element, icon } from "../web/elements.mjs";
import { messageOf } from "./selection.mjs";

/** @typedef {import("./geometry.mjs").Camera} Camera */
/** @typedef {import("./selection.mjs").Selection} Selection */
/** @typedef {{camera: Camera, selection: Selection | null}} Moment */

const MOST = 100;
const ICONS = { undo: "M7 4 3 8l4 4M3.5 8H12a4.5 4.5 0 0 1 0 9H8", redo: "M13 4l4 4-4 4M16.5 8H8a4.5 4.5 0 0 0 0 9h4" };

/** A list of moments with a present place; a new moment replaces everything after the place. */
export class Past {
  constructor() {
    /** @type {Moment[]} */ this.moments = [];
    this.at = -1;
  }

  get before() {
    return this.at > 0;
  }

  get after() {
    return this.at < this.moments.length - 1;
  }

  clear() {
    [this.moments, this.at] = [[], -1];
  }

  /** Note a moment that differs from the present one. @param {Moment} moment */
  note(moment) {
    const now = this.moments[this.at];
    if (now && sameCamera(now.camera, moment.camera) && sameSelection(now.selection, moment.selection)) return;
    this.moments = [...this.moments.slice(0, this.at + 1), moment].slice(-MOST);
    this.at = this.moments.length - 1;
  }

  /** Go to the moment before the present one, or after it, and return it; null at the end. @param {-1 | 1} step @returns {Moment | null} */
  go(step) {
    if (step < 0 ? !this.before : !this.after) return null;
    this.at += step;
    return this.moments[this.at];
  }
}

/** @param {Camera} a @param {Camera} b */
function sameCamera(a, b) {
  return /** @type {(keyof Camera)[]} */ (["x", "y", "z", "zoom", "yaw", "pitch"]).every((name) => Math.abs((a[name] ?? 0) - (b[name] ?? 0)) <= 1e-6 * Math.abs(a[name] || 1));
}

/** @param {Selection | null} a @param {Selection | null} b */
function sameSelection(a, b) {
  return (a?.count ?? 0) === (b?.count ?? 0) && (!a?.count || a.id === b.id);
}

/** Undo and redo of a view: two buttons, and Ctrl+Z and Ctrl+Shift+Z or Ctrl+Y. */
export class History {
  /** @param {import("./view.mjs").View} view */
  constructor(view) {
    this.view = view;
    this.past = new Past();
    this.geometry = "";
    const button = (kind, name, keys) => element("button", { class: "step", type: "button", hidden: "", "aria-label": name, title: `${name} (${keys})` }, icon(ICONS[kind], {}, 20));
    this.undo = button("undo", "Undo the last move or selection", "Ctrl+Z");
    this.redo = button("redo", "Redo", "Ctrl+Shift+Z");
    this.undo.addEventListener("click", () => this.step(-1));
    this.redo.addEventListener("click", () => this.step(1));
    view.shell.bar.prepend(this.undo, this.redo);
    view.root.addEventListener("keydown", (event) => this.key(event));
  }

  /** Note the present view; another layout begins a new list. */
  note() {
    const { geometry, camera, selection } = this.view.state;
    if (!geometry) return;
    if (this.geometry !== geometry.id) this.past.clear();
    this.geometry = geometry.id;
    this.past.note({ camera, selection });
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const name = event.key.toLowerCase();
    const step = name === "z" ? (event.shiftKey ? 1 : -1) : name === "y" && !event.shiftKey ? 1 : 0;
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    this.step(/** @type {-1 | 1} */ (step));
  }

  /** @param {-1 | 1} step */
  step(step) {
    const { view, past } = this;
    const moment = past.go(step);
    if (!moment) {
      view.speak(step < 0 ? "Nothing to undo" : "Nothing to redo");
      return;
    }
    view.steering.glide(moment.camera);
    const { geometry, selection } = view.state;
    if (!sameSelection(selection, moment.selection)) {
      const { count } = geometry;
      const next = moment.selection ?? { id: `none${past.at}`, of: geometry.id, mask: new Uint8Array(count), count: 0, drawn: true };
      view.select(next);
      view.onSelect(messageOf(next), next);
    }
    view.speak(step < 0 ? "Undone" : "Redone");
    this.draw();
  }

  draw() {
    this.undo.hidden = !this.past.before;
    this.redo.hidden = !this.past.after;
    this.view.root.dataset.undo = String(this.past.at);
  }
}
