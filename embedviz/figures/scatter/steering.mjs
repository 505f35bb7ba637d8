/** The movement of the camera: immediate, gliding, by drags and keys; and when it comes to rest. */

import { still } from "../web/elements.mjs";
import { clamp } from "../web/numbers.mjs";
import { between, boundsOf, fitOf, held, homeOf, orbited, panned, suits, zoomed } from "./geometry.mjs";

/** @typedef {import("./geometry.mjs").Camera} Camera */

const REST_MS = 120; // labels are placed this long after the camera stops
const GLIDE_MS = 220;
const NAMES = { side: 48, end: 24 }; // margins in pixels after a zoom to trails, for the names at their heads
const MOST_TRAIL_ZOOM = 40;

/** Return the present camera of a glide, and whether it has arrived. @param {{from: Camera, to: Camera, since: number}} glide @param {number} now */
export function gliding({ from, to, since }, now) {
  const share = Math.min((now - since) / GLIDE_MS, 1);
  return { camera: between(from, to, 1 - (1 - share) ** 3), arrived: share >= 1 };
}

/**
 * Return the camera that shows some words at all their past and future positions.
 * @param {Camera} camera @param {import("./data.mjs").Geometry} geometry @param {number[]} rows of these words
 * @param {import("./geometry.mjs").Frame} frame @returns {Camera}
 */
export function around(camera, { frames, moments, points, dimensions, bounds }, rows, frame) {
  const [all, times] = frames ? [frames, moments] : [points, [0]];
  const size = all.length / times.length;
  const placesOf = (row) => times.flatMap((_, moment) => [...all.subarray(moment * size + dimensions * row, moment * size + dimensions * (row + 1))]);
  const room = boundsOf(new Float32Array(rows.flatMap(placesOf)), dimensions);
  const names = { ...frame, left: frame.left + NAMES.side, right: frame.right + NAMES.side, top: frame.top + NAMES.end, bottom: frame.bottom + NAMES.end };
  const { x, y, z } = homeOf(room);
  const middle = dimensions > 2 ? { x, y, z } : { x, y };
  return { ...camera, ...middle, zoom: clamp(fitOf(room, names) / fitOf(bounds, frame), 1, MOST_TRAIL_ZOOM) };
}

export class Steering {
  /** @param {import("./state.mjs").State} state @param {(begins: boolean) => void} moved @param {() => void} rested */
  constructor(state, moved, rested) {
    this.state = state;
    this.moved = moved;
    this.rested = rested;
    this.moving = false;
    this.timer = 0;
    /** @type {{from: Camera, to: Camera, since: number} | null} */ this.way = null;
  }

  /** Set the camera; a camera that does not fit the points is ignored. @param {Camera} camera */
  lookAt(camera) {
    const { state } = this;
    if (!state.geometry || !suits(camera, state.geometry.bounds)) return;
    state.camera = held(camera, state.geometry.bounds);
    const begins = !this.moving;
    this.moving = true;
    this.wait();
    this.moved(begins);
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.rest(), REST_MS);
  }

  rest() {
    if (this.way) {
      this.wait();
      return;
    }
    this.moving = false;
    this.rested();
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    if (this.state.geometry) this.lookAt(panned(this.state.camera, this.state.goal(), dx, dy));
  }

  /** Drag the map: turn a map with depth, move a flat map. @param {number} dx @param {number} dy @param {boolean} [moves] whether a map with depth is moved, too */
  drag(dx, dy, moves = false) {
    const { geometry, camera } = this.state;
    if (geometry?.dimensions === 3 && !moves) this.lookAt(orbited(camera, dx, dy));
    else this.pan(dx, dy);
  }

  /** @param {number} px @param {number} py @param {number} factor */
  zoom(px, py, factor) {
    if (this.state.geometry) this.lookAt(zoomed(this.state.camera, this.state.goal(), px, py, factor));
  }

  /** Move the camera smoothly; immediately if the reader wants no motion. @param {Camera} camera */
  glide(camera) {
    const { geometry, camera: from } = this.state;
    if (!geometry) return;
    if (still()) {
      this.lookAt(camera);
      return;
    }
    this.way = { from, to: held(camera, geometry.bounds), since: performance.now() };
    this.lookAt(from);
  }

  /** Take the camera's next step of a glide. */
  proceed() {
    if (!this.way) return;
    const { camera, arrived } = gliding(this.way, performance.now());
    if (arrived) this.way = null;
    this.lookAt(camera);
  }

  /** Lead a glide to the same place among points that have moved. @param {(camera: Camera) => Camera} follow */
  carry(follow) {
    if (this.way) this.way = { ...this.way, from: follow(this.way.from), to: follow(this.way.to) };
  }

  /** @param {number} px @param {number} py @param {number} factor */
  glideZoom(px, py, factor) {
    if (this.state.geometry) this.glide(zoomed(this.state.camera, this.state.goal(), px, py, factor));
  }

  /** Glide to the words that leave trails; without trails, to the chosen word and most of its neighbors. */
  toTrails() {
    const { geometry, trails, chosen, neighbors, camera } = this.state;
    if (!geometry) return;
    if (geometry.frames && trails.length) this.glide(this.aroundTrails());
    else if (chosen >= 0 && neighbors.length) this.glide(around(camera, geometry, [chosen, ...this.nearer()], this.state.frame()));
  }

  /** Return the neighbors of the chosen word without the 20 % that lie farthest from it on the map. @returns {number[]} */
  nearer() {
    const { chosen, neighbors } = this.state;
    const home = this.state.goalOf(chosen);
    const far = (row) => Math.hypot(...this.state.goalOf(row).map((value, axis) => value - home[axis]));
    return [...neighbors].sort((one, other) => far(one) - far(other)).slice(0, Math.ceil(0.8 * neighbors.length));
  }

  /** Return the camera that shows all positions of the words that leave trails. @returns {Camera} */
  aroundTrails() {
    const { geometry, trails, camera } = this.state;
    return around(camera, geometry, trails.map(({ row }) => row), this.state.frame());
  }

  /** Bring a row into view, if it is not in view. @param {number} row */
  face(row) {
    const { state } = this;
    const [x, y] = state.position(row);
    if (x >= 20 && y >= 20 && x <= state.width - 20 && y <= state.tall - 20) return;
    const [px, py, pz] = state.goalOf(row);
    this.glide({ ...state.camera, x: px, y: py, ...(state.geometry.dimensions > 2 ? { z: pz } : {}) });
  }

  reset() {
    if (this.state.geometry) this.glide(homeOf(this.state.geometry.bounds));
  }

  end() {
    clearTimeout(this.timer);
  }
}
