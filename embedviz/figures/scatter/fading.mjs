/** The fading of labels: each label on the map has an opacity, which rises over a short time. */

/** @typedef {import("./labels.mjs").Label} Label */
/** @typedef {{label: Label, from: number, to: number, since: number}} Fade opacities, and when the change began */

const FADE_MS = 160;
const SAME = 3; // a label that moves by fewer pixels is the same label
const SHRUNK = 0.85; // share of the zoom for which labels were placed; at a lower zoom, words would overlap

/** @param {Fade} fade @param {number} time */
function opacityOf({ from, to, since }, time) {
  return from + (to - from) * Math.min(Math.max((time - since) / FADE_MS, 0), 1);
}

export class Fading {
  constructor() {
    /** @type {Map<string, Fade>} */
    this.labels = new Map();
    this.zoom = 1; // the zoom for which labels were placed
  }

  clear() {
    this.labels.clear();
  }

  /** Take newly placed labels. @param {Label[]} labels @param {number} zoom @param {number} time @param {boolean} quick whether all appear immediately */
  take(labels, zoom, time, quick) {
    const before = this.labels;
    this.zoom = zoom;
    this.labels = new Map();
    for (const label of labels) {
      const known = before.get(label.id);
      const same = known && known.label.kind === label.kind && Math.hypot(known.label.dx - label.dx, known.label.dy - label.dy) < SAME;
      // Requested labels appear immediately; the others fade in.
      const at = quick || label.kind === "chosen" || label.kind === "neighbor" ? 1 : same ? opacityOf(known, time) : 0;
      this.labels.set(label.id, { label, from: at, to: 1, since: time });
    }
  }

  /** Return the labels to draw, with their opacity. After zooming out, words are left out. @param {number} zoom @param {number} time */
  seen(zoom, time) {
    const shrunk = zoom < SHRUNK * this.zoom;
    return [...this.labels.values()]
      .filter(({ label }) => !shrunk || label.kind === "name" || label.kind === "chosen")
      .map((fade) => ({ label: fade.label, opacity: opacityOf(fade, time) }))
      .filter(({ opacity }) => opacity > 0);
  }

  /** Return whether a label is still fading in. @param {number} time */
  changes(time) {
    return [...this.labels.values()].some(({ from, to, since }) => from !== to && time - since < FADE_MS + 20);
  }

  /** The rows of the labels, in the order of the labels. */
  get rows() {
    return [...this.labels.values()].map(({ label }) => label.row).filter((row) => row >= 0);
  }
}
