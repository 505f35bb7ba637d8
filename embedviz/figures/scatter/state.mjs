/** What a map shows and from where: data, camera, marks and size, and what follows from them. Knows no page and no canvas. */

import { FLIGHT_MS, MOST_FLYING, beginningOf, blended, departureOf, eased, onTheWay, partners, standingOf } from "./flight.mjs";
import { alike, carried, held, homeOf, isHome, mixedBounds, projected, roomOf, spreadOf, suits, transformOf } from "./geometry.mjs";
import { hasLegend } from "./legend.mjs";
import { rgb } from "../web/colors.mjs";
import { drawable } from "./selection.mjs";
import { NARROW, SPARSE, behindTrails, fade, fewIn, frameOf, heightOf, opacityOf, radiiOf } from "./sizes.mjs";

/** @typedef {import("./data.mjs").Geometry} Geometry */
/** @typedef {import("./data.mjs").Paint} Paint */
/** @typedef {import("./geometry.mjs").Bounds} Bounds */
/** @typedef {import("./geometry.mjs").Camera} Camera */

const LARGE_OPACITY = 0.75; // of points by size: a small one is seen under a large one

export class State {
  constructor() {
    /** @type {Geometry | null} */ this.geometry = null;
    /** @type {Paint | null} */ this.paint = null;
    /** @type {Paint | null} the same with what is not selected greyed */ this.drawn = null;
    /** @type {Bounds | null} the room of the points as they came */ this.own = null;
    /** @type {import("./selection.mjs").Selection | null} */ this.selection = null;
    /** @type {Uint8Array | null} of each row, 0 where it is hidden, else its size */ this.weights = null;
    /** @type {import("./facets.mjs").Numbers | null} the numbers that are the sizes of the points */ this.sized = null;
    /** @type {import("./regions.mjs").Region[]} regions whose names are written, where they fit */ this.regions = [];
    this.chosen = -1;
    /** @type {number[]} */ this.neighbors = [];
    /** @type {number[]} */ this.hits = [];
    /** @type {number[]} near the chosen row on the map, not in the space */ this.strangers = [];
    /** @type {import("./overlay.mjs").Guest[]} words that are placed on the map and no part of it */ this.guests = [];
    /** @type {Camera} */ this.camera = { x: 0, y: 0, zoom: 1 };
    /** @type {import("./flight.mjs").Flight | null} */ this.flight = null;
    /** @type {import("./film.mjs").Trail[]} */ this.trails = [];
    /** @type {Set<number> | null} the only rows whose words are written unasked */ this.named = null;
    this.caption = ""; // what moment is shown
    this.rolling = false; // whether moment follows moment
    this.tooled = false; // whether the bar bears tools
    this.beside = false; // whether another map stands beside it
    this.width = 0;
    this.tall = 0;
    this.ratio = 1; // device pixels a CSS pixel
    this.scale = 1; // by how much points and type are larger than usual
  }

  // data

  /** Another layout takes the place of the one before. @param {Geometry} geometry @param {Camera} camera */
  take(geometry, camera) {
    [this.own, this.geometry, this.camera, this.selection] = [geometry.bounds, geometry, camera, null];
    [this.weights, this.regions] = [null, []];
  }

  /** The camera of a new layout: the saved one, the present one if the extent is unchanged, else one that shows everything. @param {Geometry} geometry @param {unknown} left @param {boolean} flies */
  cameraFor(geometry, left, flies) {
    const { bounds } = geometry;
    if (suits(left, bounds)) return left;
    if (this.geometry && alike(this.geometry.bounds, bounds)) return this.camera;
    const follows = flies && this.travelled() && suits(this.camera, bounds); // what moved comes to its end
    return follows ? carried(this.camera, this.geometry.bounds, bounds, this.frame()) : homeOf(bounds);
  }

  /** Work out the coloring as it is drawn. */
  recolor() {
    this.drawn = drawable(this.paint, this.selection?.count ? this.selection.mask : null);
  }

  /** The word of the chosen row, or an empty text. */
  get word() {
    return this.chosen >= 0 && this.chosen < this.geometry.count ? this.geometry.words.at(this.chosen) : "";
  }

  // flights

  /** How the map looks before a new layout takes its place; null where nothing can fly to it. @param {Geometry} geometry */
  departure(geometry) {
    const before = this.geometry;
    if (!before || !this.paint || !this.width || Math.max(before.count, geometry.count) > MOST_FLYING) return null;
    const partner = partners(before, geometry);
    return partner && { partner, ...departureOf(before, this.transform(), this.flight) };
  }

  /** @param {NonNullable<ReturnType<State["departure"]>>} departure @param {number} now */
  depart(departure, now) {
    this.flight = { from: beginningOf(departure, this.geometry, this.transform(), departure.partner), share: 0, since: now };
  }

  /**
   * Put the points somewhere else, and the camera with them; returns how another camera follows.
   * @param {Float32Array} points @param {Bounds | undefined} room @param {number} ms how long they take; 0 for none
   * @param {number} now
   */
  move(points, room = roomOf(points, this.geometry.dimensions), ms, now) {
    const before = this.geometry;
    const was = this.bounds();
    const from = ms > 0 && before.count <= MOST_FLYING ? standingOf(before, this.flight) : null;
    const follow = this.following(room);
    this.geometry = { ...before, points, bounds: room, spread: spreadOf(points, before.dimensions) };
    this.camera = follow(this.camera);
    this.flight = from && { from, share: 0, since: now, ms, bounds: was };
    return follow;
  }

  /** How a camera follows the points to another room. @param {Bounds} room @returns {(camera: Camera) => Camera} */
  following(room) {
    const [before, frame] = [this.geometry.bounds, this.frame()];
    return (camera) => held(carried(camera, before, room, frame), room);
  }

  /** Move the flight on; whether it has ended. @param {number} now */
  fly(now) {
    const { since, ms = FLIGHT_MS, bounds } = this.flight;
    const share = (now - since) / ms;
    if (share >= 1) return true;
    this.flight.share = bounds ? share : eased(share);
    return false;
  }

  /** Whether the points have left the room that they came with, and the camera with them. */
  travelled() {
    return this.own !== null && !alike(this.own, this.geometry.bounds);
  }

  /** The layout as it is now, in the middle of a movement perhaps. */
  passing() {
    const { flight, geometry } = this;
    return flight?.bounds ? { ...geometry, points: blended(flight, geometry, geometry.dimensions) } : geometry;
  }

  // where things are

  /** The room that the points take now, on their way. */
  bounds() {
    const { flight, geometry } = this;
    return flight?.bounds ? mixedBounds(flight.bounds, geometry.bounds, flight.share) : geometry.bounds;
  }

  /** The margins around the points. */
  frame() {
    const { width, tall, tooled, geometry, paint, scale } = this;
    const [axes, solid, legend] = [geometry?.axes.length ?? 0, geometry?.dimensions === 3, this.sized !== null || (paint !== null && hasLegend(paint))];
    return frameOf({ width, height: tall, axes, solid, legend, tooled, scale });
  }

  /** How high the map is in a place of this width. @param {number} wanted */
  height(wanted) {
    return heightOf(wanted, this.width, this.geometry && this.geometry.bounds, this.frame(), this.beside);
  }

  /** The way from data to pixels now. */
  transform() {
    if (!this.flight?.bounds) return this.goal();
    const [bounds, frame] = [this.bounds(), this.frame()];
    return transformOf(carried(this.camera, this.geometry.bounds, bounds, frame), bounds, frame);
  }

  /** The way from data to pixels once all points are in their place, which is what the camera knows of. */
  goal() {
    return transformOf(this.camera, this.geometry.bounds, this.frame());
  }

  /** Whether everything is shown, as at first. */
  isHome() {
    return !this.geometry || isHome(this.camera, this.geometry.bounds);
  }

  /** What says where a row stands, in pixels. @returns {(row: number) => [number, number]} */
  placer() {
    const at = this.transform();
    return (row) => projected(at, ...this.pointOf(row));
  }

  /** Whether a row is a point of the map that is not hidden. @param {number} row */
  visible(row) {
    return row >= 0 && row < this.geometry.count && this.weights?.[row] !== 0;
  }

  /** Where a row stands, in pixels. @param {number} row */
  position(row) {
    return this.placer()(row);
  }

  /** A row in data units. @param {number} row @returns {[number, number, number]} */
  pointOf(row) {
    const place = this.goalOf(row);
    return this.flight ? onTheWay(this.flight, row, place) : place;
  }

  /** Where a row will be once it is in its place. @param {number} row @returns {[number, number, number]} */
  goalOf(row) {
    const { points, dimensions } = this.geometry;
    return [points[dimensions * row], points[dimensions * row + 1], dimensions > 2 ? points[dimensions * row + 2] : 0];
  }

  // how points look

  /** How few points are in view, 0 to 1: the same wherever the map is panned. */
  few() {
    const { count, spread } = this.geometry;
    return fewIn(count, spread, (this.width * this.tall) / this.goal().k ** 2);
  }

  /** How firmly the rest is drawn, 0 to 1: where few points are in view, and everywhere on a sparse map. */
  firm() {
    return this.geometry.count < SPARSE ? 1 : this.few();
  }

  /** Radii of the rest and of the colored points. @returns {[number, number]} */
  radii() {
    const { geometry, paint, camera, width, scale, trails } = this;
    const narrow = width < NARROW;
    const [rest, own] = radiiOf({ count: geometry.count, colored: paint.colored, zoom: camera.zoom, narrow, few: this.few(), scale });
    return [trails.length && !paint.colored ? behindTrails(rest, narrow, scale) : rest, own];
  }

  /** Opacities of the rest and of the colored points. @param {number} share of the points that are drawn @returns {[number, number]} */
  opacity(share) {
    const { count, spread } = this.geometry;
    const { colored } = this.drawn;
    const room = spread * this.goal().k ** 2;
    const [rest, own] = opacityOf([count - colored, colored].map((n) => share * n), this.radii(), room, this.few());
    return this.sized ? [Math.min(rest, LARGE_OPACITY), Math.min(own, LARGE_OPACITY)] : [rest, own];
  }

  /** What a painter needs. @param {number} share @param {string} bg @returns {import("./shaders.mjs").Sketch} */
  sketch(share, bg) {
    return {
      transform: this.transform(),
      width: this.width,
      height: this.tall,
      ratio: this.ratio,
      radii: this.radii(),
      opacity: this.opacity(share),
      bg: rgb(bg),
      share,
      flight: this.flight ? this.flight.share : 1,
      fade: fade(this.few()),
    };
  }
}
