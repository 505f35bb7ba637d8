/** What all maps of a page share: cameras and envelopes that outlive a page change. */

/**
 * A map that forgets its oldest entry when it grows beyond `most`.
 * @template T
 */
export class Bounded {
  /** @param {number} most */
  constructor(most) {
    this.most = most;
    /** @type {Map<string, T>} */
    this.entries = new Map();
  }

  /** @param {string} key @returns {T | undefined} */
  get(key) {
    return this.entries.get(key);
  }

  /** @param {string} key @param {T} value */
  set(key, value) {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.most) this.entries.delete(this.entries.keys().next().value);
  }
}

/** Where each map was left, by chart and geometry. @type {Bounded<import("./geometry.mjs").Camera>} */
export const cameras = new Bounded(64);

/** What was read lately, by content, so that coming back to a page fetches nothing. @type {Bounded<any>} */
export const geometries = new Bounded(4);

/** @type {Bounded<any>} */
export const paints = new Bounded(8);

/** What was drawn around lately, by id. @type {Bounded<import("./selection.mjs").Selection>} */
export const selections = new Bounded(8);

/** Each drawn map by its root element. @type {WeakMap<HTMLElement, any>} */
export const views = new WeakMap();
