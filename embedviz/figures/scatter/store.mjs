/** What all maps of a page share: cameras and envelopes that outlive a page change, and an interface to them for bookmarks. */

import { isCamera } from "./geometry.mjs";

const PATIENCE_MS = 60_000; // a camera waits so long for its layout; after that the reader has moved on

/**
 * A cache that drops its oldest entries while all together weigh more than `most`; the newest stays, however heavy.
 * @template T
 */
export class Bounded {
  /** @param {number} most @param {(value: T) => number} [weigh] weight of an entry; 1 by default */
  constructor(most, weigh = () => 1) {
    this.most = most;
    this.weigh = weigh;
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
    let weight = 0;
    for (const entry of this.entries.values()) weight += this.weigh(entry);
    for (const [oldest, entry] of this.entries) {
      if (weight <= this.most || oldest === key) return;
      weight -= this.weigh(entry);
      this.entries.delete(oldest);
    }
  }

  /** @param {string} key */
  delete(key) {
    this.entries.delete(key);
  }
}

/** The last camera of each map, by chart and geometry. @type {Bounded<import("./geometry.mjs").Camera>} */
export const cameras = new Bounded(64);

/** Geometries read lately, by content, so that a return to a page fetches nothing. @type {Bounded<any>} */
export const geometries = new Bounded(1_200_000, ({ count }) => Math.max(count, 150_000)); // points: some 60 MB, or 8 maps

/** @type {Bounded<any>} */
export const paints = new Bounded(8);

/** Columns of maps, by content. @type {Bounded<import("./facets.mjs").Facets>} */
export const columns = new Bounded(4);

/** Selections drawn lately, by id. @type {Bounded<import("./selection.mjs").Selection>} */
export const selections = new Bounded(8);

/** Each drawn map by its root element. @type {WeakMap<HTMLElement, any>} */
export const views = new WeakMap();

/** The mounted view of each chart. @type {Map<string, any>} */
export const mounts = new Map();

/** Cameras that wait for their map, each with the time when its waiting began. @type {Bounded<{camera: any, since: number}>} */
const awaited = new Bounded(16);

/** Return the camera that waits for this layout of a chart, and end its waiting; null if none waits. @param {string} chart @param {string} layout */
export function arrived(chart, layout) {
  const waiting = awaited.get(chart);
  if (!waiting) return null;
  const { of, ...camera } = waiting.camera;
  const late = performance.now() - waiting.since > PATIENCE_MS;
  if (!late && of && of !== layout) return null;
  awaited.delete(chart);
  return late ? null : camera;
}

/** The interface by which pages and bookmarks read and restore cameras. */
globalThis.embedvizMaps = {
  /** The camera of a chart as plain JSON, or null while it is not drawn. @param {string} chart */
  camera(chart) {
    const view = mounts.get(chart);
    return view?.state.geometry ? { ...view.state.camera, of: view.state.geometry.id } : null;
  },

  /**
   * Set the camera of a chart: immediately if the chart is drawn, else as soon as it is. A camera that names its layout
   * waits for that layout, a minute at most. A value that is not a camera is ignored.
   * @param {string} chart @param {any} camera
   */
  restore(chart, camera) {
    if (!isCamera(camera)) return;
    awaited.set(chart, { camera, since: performance.now() });
    mounts.get(chart)?.recall();
  },
};
