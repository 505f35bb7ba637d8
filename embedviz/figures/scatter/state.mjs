/** The state of a map: data, camera, marks and size, and what follows from them. It knows no page and no canvas. */

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

const LARGE_OPACITY = 0.75; // of points with sizes: a small point is visible under a large one

export class State {
  constructor() {
    /** @type {Geometry | null} */ this.geometry = null;
    /** @type {Paint | null} */ this.paint = null;
    /** @type {Paint | null} the coloring with unselected points in grey */ this.drawn = null;
    /** @type {Bounds | null} the bounds of the points before they moved */ this.own = null;
    /** @type {import("./selection.mjs").Selection | null} */ this.selection = null;
    /** @type {Uint8Array | null} of each row, 0 if it is hidden, else its size */ this.weights = null;
    /** @type {import("./facets.mjs").Numbers | null} the numbers that are the sizes of the points */ this.sized = null;
    /** @type {import("./regions.mjs").Region[]} regions whose names are written if they fit */ this.regions = [];
    this.chosen = -1;
    /** @type {number[]} */ this.neighbors = [];
    /** @type {number[]} */ this.hits = [];
    /** @type {number[]} near the chosen row on the map, not in the space */ this.strangers = [];
    /** @type {import("./overlay.mjs").Guest[]} words drawn on the map that are not part of it */ this.guests = [];
    /** @type {Camera} */ this.camera = { x: 0, y: 0, zoom: 1 };
    /** @type {import("./flight.mjs").Flight | null} */ this.flight = null;
    /** @type {import("./film.mjs").Trail[]} */ this.trails = [];
    /** @type {Set<number> | null} the only rows whose words are written without a request */ this.named = null;
    this.caption = ""; // the moment that is shown
    this.rolling = false; // whether moments are played
    this.tooled = false; // whether the bar has tools
    this.beside = false; // whether another map stands beside it
    this.width = 0;
    this.tall = 0;
    this.ratio = 1; // device pixels per CSS pixel
    this.scale = 1; // by how much points and type are larger than usual
  }

  // data

  /** Replace the layout. @param {Geometry} geometry @param {Camera} camera */
  take(geometry, camera) {
    [this.own, this.geometry, this.camera, this.selection] = [geometry.bounds, geometry, camera, null];
    [this.weights, this.regions] = [null, []];
  }

  /** Return the camera of a new layout: the saved one, the present one if the bounds are unchanged, else one that shows everything. @param {Geometry} geometry @param {unknown} left @param {boolean} flies */
  cameraFor(geometry, left, flies) {
    const { bounds } = geometry;
    if (suits(left, bounds)) return left;
    if (this.geometry && alike(this.geometry.bounds, bounds)) return this.camera;
    const follows = flies && this.travelled() && suits(this.camera, bounds); // the points come to the end of their movement
    return follows ? carried(this.camera, this.geometry.bounds, bounds, this.frame()) : homeOf(bounds);
  }

  /** Compute the coloring that is drawn. */
  recolor() {
    this.drawn = drawable(this.paint, this.selection?.count ? this.selection.mask : null);
  }

  /** The word of the chosen row, or an empty text. */
  get word() {
    return this.chosen >= 0 && this.chosen < this.geometry.count ? this.geometry.words.at(this.chosen) : "";
  }

  // flights

  /** Return how the map looks before a new layout replaces it; null if nothing can fly to the new layout. @param {Geometry} geometry */
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
   * Move the points, and the camera with them; return the function by which another camera follows.
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

  /** Return the function by which a camera follows the points to other bounds. @param {Bounds} room @returns {(camera: Camera) => Camera} */
  following(room) {
    const [before, frame] = [this.geometry.bounds, this.frame()];
    return (camera) => held(carried(camera, before, room, frame), room);
  }

  /** Move the flight on; return whether it has ended. @param {number} now */
  fly(now) {
    const { since, ms = FLIGHT_MS, bounds } = this.flight;
    const share = (now - since) / ms;
    if (share >= 1) return true;
    this.flight.share = bounds ? share : eased(share);
    return false;
  }

  /** Return whether the points, and the camera with them, have left their first bounds. */
  travelled() {
    return this.own !== null && !alike(this.own, this.geometry.bounds);
  }

  /** Return the layout as it is now, even during a movement. */
  passing() {
    const { flight, geometry } = this;
    return flight?.bounds ? { ...geometry, points: blended(flight, geometry, geometry.dimensions) } : geometry;
  }

  // where things are

  /** Return the present bounds of the points, even during a movement. */
  bounds() {
    const { flight, geometry } = this;
    return flight?.bounds ? mixedBounds(flight.bounds, geometry.bounds, flight.share) : geometry.bounds;
  }

  /** Return the margins around the points. */
  frame() {
    const { width, tall, tooled, geometry, paint, scale } = this;
    const [axes, solid, legend] = [geometry?.axes.length ?? 0, geometry?.dimensions === 3, this.sized !== null || (paint !== null && hasLegend(paint))];
    return frameOf({ width, height: tall, axes, solid, legend, tooled, scale });
  }

  /** Return the height of the map at its present width. @param {number} wanted */
  height(wanted) {
    return heightOf(wanted, this.width, this.geometry && this.geometry.bounds, this.frame(), this.beside);
  }

  /** Return the present transform from data to pixels. */
  transform() {
    if (!this.flight?.bounds) return this.goal();
    const [bounds, frame] = [this.bounds(), this.frame()];
    return transformOf(carried(this.camera, this.geometry.bounds, bounds, frame), bounds, frame);
  }

  /** Return the transform from data to pixels after all movements; the camera refers to it. */
  goal() {
    return transformOf(this.camera, this.geometry.bounds, this.frame());
  }

  /** Return whether everything is shown, as at first. */
  isHome() {
    return !this.geometry || isHome(this.camera, this.geometry.bounds);
  }

  /** Return the function from a row to its present position in pixels. @returns {(row: number) => [number, number]} */
  placer() {
    const at = this.transform();
    return (row) => projected(at, ...this.pointOf(row));
  }

  /** Return whether a row is a point of the map that is not hidden. @param {number} row */
  visible(row) {
    return row >= 0 && row < this.geometry.count && this.weights?.[row] !== 0;
  }

  /** Return the present position of a row in pixels. @param {number} row */
  position(row) {
    return this.placer()(row);
  }

  /** Return the present position of a row in data units. @param {number} row @returns {[number, number, number]} */
  pointOf(row) {
    const place = this.goalOf(row);
    return this.flight ? onTheWay(this.flight, row, place) : place;
  }

  /** Return the position of a row after all movements, in data units. @param {number} row @returns {[number, number, number]} */
  goalOf(row) {
    const { points, dimensions } = this.geometry;
    return [points[dimensions * row], points[dimensions * row + 1], dimensions > 2 ? points[dimensions * row + 2] : 0];
  }

  // how points look

  /** Return how few points are in view, 0 to 1: the same wherever the map is panned. */
  few() {
    const { count, spread } = this.geometry;
    return fewIn(count, spread, (this.width * this.tall) / this.goal().k ** 2);
  }

  /** Return how firmly the grey rest is drawn, 0 to 1: firmer if few points are in view, and 1 on a sparse map. */
  firm() {
    return this.geometry.count < SPARSE ? 1 : this.few();
  }

  /** Return the radii of the rest and of the colored points. @returns {[number, number]} */
  radii() {
    const { geometry, paint, camera, width, scale, trails } = this;
    const narrow = width < NARROW;
    const [rest, own] = radiiOf({ count: geometry.count, colored: paint.colored, zoom: camera.zoom, narrow, few: this.few(), scale });
    return [trails.length && !paint.colored ? behindTrails(rest, narrow, scale) : rest, own];
  }

  /** Return the opacities of the rest and of the colored points. @param {number} share of the points that are drawn @returns {[number, number]} */
  opacity(share) {
    const { count, spread } = this.geometry;
    const { colored } = this.drawn;
    const room = spread * this.goal().k ** 2;
    const [rest, own] = opacityOf([count - colored, colored].map((n) => share * n), this.radii(), room, this.few());
    return this.sized ? [Math.min(rest, LARGE_OPACITY), Math.min(own, LARGE_OPACITY)] : [rest, own];
  }

  /** Return what a painter needs to draw. @param {number} share @param {string} bg @returns {import("./shaders.mjs").Sketch} */
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
