/** One map: its canvases, its state, and when what is drawn again. */

import { arrived, cameras, mounts, selections } from "./store.mjs";
import { SLICE, gridding, nearest } from "./grid.mjs";
import { alike, between, clamp, held, homeOf, isHome, orbited, panned, projected, suits, transformOf, zoomed } from "./geometry.mjs";
import { boundsOf, carried, fitOf, mixedBounds, spreadOf } from "./geometry.mjs";
import { FLIGHT_MS, MOST_FLYING, beginningOf, blended, departureOf, eased, onTheWay, partners, standingOf } from "./flight.mjs";
import { CanvasPainter } from "./canvas.mjs";
import { fewness, mix } from "./few.mjs";
import { labelsOf } from "./labels.mjs";
import { drawOverlay, fontOf, hasLegend, legendRect, meaning, tripodRect } from "./overlay.mjs";
import { lookOf, paletteOf, rgb } from "./palette.mjs";
import { drawable } from "./selection.mjs";
import { Painter } from "./shaders.mjs";
import { captionRect, headsOf } from "./trails.mjs";

/** @typedef {import("./data.mjs").Geometry} Geometry */
/** @typedef {import("./data.mjs").Paint} Paint */

const REST_MS = 120; // labels are placed this long after the camera stops
const FADE_MS = 160;
const MOST_MOVING = 250_000; // points drawn while moving, until frames say otherwise
const MOST_COVER = 2; // how often points may cover their room before they grow faint
const FAINTEST = 0.08;
const FADE = { many: 0.5, few: 0.15 }; // how much of the page's color the farthest points take
const GLIDE_MS = 220;
const RELABEL_MS = 400; // labels are placed this often while the points move
const MOST_RELABELED = 50_000; // beyond, once they rest
const NAMES = { side: 48, end: 24 }; // pixels about trails that are zoomed to, for the names at their heads
const MOST_TRAIL_ZOOM = 40;
const BAR = 52; // pixels of the tools above the points
const FULL = { wide: 3.5, narrow: 2.8 }; // radius of a point where points are few
const SLOW_MS = 45; // frames longer than this halve what is drawn while moving
const SETTLING = 4; // frames that still wait for what was drawn before it was halved
const MANY_QUICK = 10; // so many frames in half that time, and the next movement draws twice as many points

const STYLE = `
.map { position: relative; width: 100%; overflow: hidden; contain: strict;
  background: var(--st-background-color); color: var(--st-text-color); transition: color .02s; font-family: var(--st-font), sans-serif; }
.map canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; }
.map .over { cursor: grab; touch-action: pan-y; outline: none; user-select: none; -webkit-user-select: none; -webkit-tap-highlight-color: transparent; }
.map .over.closer { touch-action: none; }
.map .over.on { cursor: pointer; }
.map .over.dragging { cursor: grabbing; }
.map .over:focus-visible { box-shadow: inset 0 0 0 2px var(--st-text-color); border-radius: 6px; }
.map .ring { position: absolute; left: 0; top: 0; width: 13px; height: 13px; margin: -7.5px 0 0 -7.5px; border: 1.5px solid var(--st-text-color);
  border-radius: 50%; pointer-events: none; }
.map .tip { position: absolute; left: 0; top: 0; max-width: min(260px, 80%); padding: 5px 9px; pointer-events: none; font-size: 14px; line-height: 1.35;
  background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: 6px; box-shadow: 0 1px 4px rgb(0 0 0 / 8%); overflow-wrap: anywhere; }
.map .tip span { display: block; font-size: 13px; }
.map .bar { position: absolute; top: 4px; right: 4px; max-width: calc(100% - 8px); display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 6px; pointer-events: none; }
.map .bar > * { pointer-events: auto; }
.map :is(.reset, .trails) { height: 32px; padding: 0 10px; font: inherit; font-size: 13px; color: inherit; cursor: pointer;
  background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: 6px; }
.map :is(.reset, .trails):hover { border-color: currentColor; }
.map :is(.reset, .trails):focus-visible { outline: 2px solid var(--st-text-color); outline-offset: 1px; }
.map .status { position: absolute; left: 0; top: 50%; width: 100%; margin: -1em 0 0; text-align: center; font-size: 15px; pointer-events: none; }
.map .spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.map [hidden] { display: none; }
@media (max-width: 640px), (pointer: coarse) { .map :is(.reset, .trails) { height: 40px; padding: 0 14px; } }
`;

const HELP = "Arrow keys move the map, or turn it where it has depth, plus and minus zoom, 0 shows all. N and P walk the words, Enter chooses one.";
const NO_CANVAS = "This browser cannot draw the map. The words are in the table beside it.";

/** The share of n points that is drawn while moving, at first and at most. @param {number} n */
const mostMoving = (n) => Math.min(MOST_MOVING / Math.max(n, 1), 1);
const still = () => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;

/** @param {string} tag @param {string} name @param {Record<string, string>} [attributes] */
function element(tag, name, attributes = {}) {
  const made = document.createElement(tag);
  made.className = name;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export class View {
  /** @param {HTMLElement} root @param {string} chart */
  constructor(root, chart) {
    this.root = root;
    this.call(chart);
    root.replaceChildren();
    this.style = element("style", "");
    this.style.textContent = STYLE;
    this.under = /** @type {HTMLCanvasElement} */ (element("canvas", "under", { "aria-hidden": "true" }));
    this.over = /** @type {HTMLCanvasElement} */ (
      element("canvas", "over", { tabindex: "0", role: "application", "aria-roledescription": "map of words", "aria-describedby": "help" })
    );
    this.ring = element("div", "ring", { hidden: "" });
    this.tip = element("div", "tip", { hidden: "" });
    this.resetButton = element("button", "reset", { type: "button", hidden: "" });
    this.resetButton.textContent = "Reset view";
    this.status = element("p", "status", { role: "status", hidden: "" });
    this.help = element("p", "spoken", { id: "help" });
    this.help.textContent = HELP;
    this.live = element("div", "spoken", { "aria-live": "polite" });
    this.bar = element("div", "bar");
    this.trailsButton = element("button", "trails", { type: "button", hidden: "" });
    this.trailsButton.textContent = "Zoom to the trails";
    this.bar.append(this.trailsButton, this.resetButton);
    root.append(this.style, this.under, this.over, this.ring, this.tip, this.bar, this.status, this.help, this.live);

    /** @type {Geometry | null} */ this.geometry = null;
    /** @type {Paint | null} */ this.paint = null;
    /** @type {Paint | null} the same with what is not selected greyed */ this.drawn = null;
    this.chosen = -1;
    /** @type {number[]} */ this.neighbors = [];
    /** @type {number[]} */ this.hits = [];
    this.touched = false;
    this.hovered = -1;
    this.camera = { x: 0, y: 0, zoom: 1 };
    this.height = 0;
    this.note = {};
    /** @type {import("./film.mjs").Trail[]} */ this.trails = [];
    this.caption = ""; // what moment is shown
    this.rolling = false; // whether moment follows moment
    this.tooled = false; // whether the bar bears tools, which on a phone stand above the points
    this.width = 0;
    this.tall = 0;
    /** @type {import("./geometry.mjs").Bounds | null} the room of the points as they came */ this.own = null;
    this.share = 1;
    this.tinted = NaN; // how few the points were for which the painter has its colors
    this.moving = false;
    this.moved = 0;
    this.slow = 0;
    this.quick = 0;
    this.frames = 0;
    this.lastFrame = 0;
    /** @type {import("./grid.mjs").Grid | null} */ this.grid = null;
    /** @type {import("./grid.mjs").Grid | null} */ this.spare = null;
    /** @type {Generator<undefined, import("./grid.mjs").Grid> | null} */ this.slices = null;
    /** @type {Map<string, {label: import("./labels.mjs").Label, from: number, to: number, since: number}>} */
    this.shown = new Map();
    this.labeledZoom = 1;
    this.labeled = 0; // when labels were placed
    this.pointsDirty = false;
    this.overlayDirty = false;
    this.labelsDirty = false;
    this.requested = 0;
    this.resting = 0;
    this.ended = false;
    /** @type {{from: import("./geometry.mjs").Camera, to: import("./geometry.mjs").Camera, since: number} | null} */ this.animation = null;
    /** @type {import("./flight.mjs").Flight | null} */ this.flight = null;
    /** @type {(row: number) => void} */ this.onChoose = () => {};
    /** @type {import("./selection.mjs").Selection | null} */ this.selection = null;
    /** @type {(message: any, selection: import("./selection.mjs").Selection) => void} */ this.onSelect = () => {};
    this.onSelected = () => {};
    this.look = this.readLook();
    this.context = this.over.getContext("2d");
    this.openPainter();
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(root);
    root.addEventListener("transitionend", this.retheme);
    document.fonts?.addEventListener?.("loadingdone", this.relabel);
    root.dataset.ready = "false";
  }

  /** Takes the name of a chart, under which others find it. @param {string} chart */
  call(chart) {
    if (mounts.get(this.chart) === this) mounts.delete(this.chart);
    this.chart = chart;
    mounts.set(chart, this);
  }

  openPainter() {
    const gl = this.under.getContext("webgl2", { alpha: false, antialias: false, depth: true, powerPreference: "high-performance" });
    this.root.dataset.renderer = gl ? "webgl2" : "canvas";
    this.gl = gl;
    if (!gl) {
      const context = this.under.getContext("2d", { alpha: false });
      this.painter = context && new CanvasPainter(context);
      return;
    }
    this.painter = new Painter(gl);
    this.under.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.under.addEventListener("webglcontextrestored", () => {
      if (this.ended) return;
      this.painter = new Painter(gl);
      this.uploadGeometry();
      this.uploadPaint();
      this.land();
      this.draw({ points: true });
    });
  }

  /** @returns {import("./palette.mjs").Look} */
  readLook() {
    const style = getComputedStyle(this.root);
    return lookOf((name) => style.getPropertyValue(name));
  }

  retheme = () => {
    const look = this.readLook();
    if (JSON.stringify(look) === JSON.stringify(this.look)) return;
    this.look = look;
    this.root.dataset.theme = look.name;
    this.tinted = NaN;
    this.draw({ points: true, labels: true });
  };

  relabel = () => this.draw({ labels: true });

  /** A sentence in place of the map. @param {string} sentence */
  fail(sentence) {
    this.say(sentence);
    this.root.dataset.error = sentence;
  }

  /** A sentence over the map; none hides it. @param {string} [sentence] */
  say(sentence = "") {
    this.status.textContent = sentence;
    this.status.hidden = !sentence;
  }

  /** @param {string} sentence */
  speak(sentence) {
    this.live.textContent = sentence;
  }

  /** New points, or a new coloring, or both; points that have moved since stay where they are. @param {Geometry} geometry @param {Paint} paint */
  show(geometry, paint) {
    const moved = geometry.id !== this.geometry?.id;
    const departure = moved ? this.departure(geometry) : null;
    if (moved) {
      const stays = this.geometry && alike(this.geometry.bounds, geometry.bounds);
      const ends = departure && this.travelled() && suits(this.camera, geometry.bounds); // what moved comes to its end
      const follows = ends && carried(this.camera, this.geometry.bounds, geometry.bounds, this.frame());
      this.land();
      this.own = geometry.bounds;
      this.animation = null; // it leads to a place of the layout before
      this.geometry = geometry;
      const left = cameras.get(this.cameraKey());
      this.camera = suits(left, geometry.bounds) ? left : stays ? this.camera : follows || homeOf(geometry.bounds);
      this.share = mostMoving(geometry.count);
      this.quick = 0;
      this.hover(-1);
      this.shown.clear();
      this.selection = null;
      this.root.dataset.selected = "0";
      this.onSelected();
      this.uploadGeometry();
    }
    this.paint = paint;
    this.unlocate(); // other points, or a legend that takes room from them
    this.uploadPaint();
    this.hover(this.touched ? -1 : this.hovered);
    this.say();
    delete this.root.dataset.error;
    if (!this.painter) this.fail(NO_CANVAS);
    this.root.dataset.points = String(geometry.count);
    this.root.dataset.geometry = geometry.id;
    this.root.dataset.dimensions = String(geometry.dimensions);
    this.root.dataset.coloring = paint.kind;
    this.resize();
    this.recall();
    if (departure) this.depart(departure);
    this.draw({ points: true, labels: true, now: departure !== null });
  }

  /** How the map looks before a new layout takes its place; null where nothing can fly to it. @param {Geometry} geometry */
  departure(geometry) {
    const before = this.geometry;
    if (!before || !this.paint || !this.painter || !this.width || still()) return null;
    if (Math.max(before.count, geometry.count) > MOST_FLYING) return null;
    const partner = partners(before, geometry);
    return partner && { partner, ...departureOf(before, this.transform(), this.flight) };
  }

  /** @param {NonNullable<ReturnType<View["departure"]>>} departure */
  depart(departure) {
    const from = beginningOf(departure, this.geometry, this.transform(), departure.partner);
    this.flight = { from, share: 0, since: performance.now() };
    this.painter.fly(this.geometry, from);
    this.root.dataset.flying = "true";
  }

  /**
   * The same words somewhere else: they move there at an even pace, from where they are in the middle of another movement.
   * What is chosen, selected, pointed at and labeled stays so, and the camera keeps its zoom and its place among the points.
   * @param {Float32Array} points as many numbers a row as the map has dimensions, in the order of its rows
   * @param {number} [ms] how long it takes; 0, and always where motion is unwanted, puts them there at once
   * @param {import("./geometry.mjs").Bounds} [bounds] what the map shows; without it the room that the points take, and the map grows with them
   * @returns {boolean} whether these are points of this map
   */
  moveTo(points, ms = 0, bounds = undefined) {
    const before = this.geometry;
    if (this.ended || !before || points.length !== before.dimensions * before.count) return false;
    const room = bounds ?? boundsOf(points, before.dimensions);
    const [frame, was] = [this.frame(), this.bounds()];
    const quick = ms <= 0 || still() || !this.painter || before.count > MOST_FLYING;
    const from = quick ? null : standingOf(before, this.flight);
    const follow = (camera) => held(carried(camera, before.bounds, room, frame), room);
    this.geometry = { ...before, points, bounds: room, spread: spreadOf(points, before.dimensions) };
    this.camera = follow(this.camera);
    if (this.animation) this.animation = { ...this.animation, from: follow(this.animation.from), to: follow(this.animation.to) };
    this.flight = from && { from, share: 0, since: performance.now(), ms, bounds: was };
    this.uploadGeometry();
    if (from) this.painter?.fly(this.geometry, from);
    this.unlocate();
    this.root.dataset.flying = String(from !== null);
    this.draw({ points: true, labels: true });
    return true;
  }

  fly() {
    const { since, ms = FLIGHT_MS, bounds } = this.flight;
    const share = (performance.now() - since) / ms;
    if (share >= 1) this.land();
    else this.flight.share = bounds ? share : eased(share);
    if (bounds) {
      this.unlocate();
      this.labelsDirty = true;
    }
    this.pointsDirty = true;
  }

  /** Whether the points have left the room that they came with, and the camera with them. */
  travelled() {
    return this.own !== null && !alike(this.own, this.geometry.bounds);
  }

  /** The room that the points take now, on their way. */
  bounds() {
    const { flight, geometry } = this;
    return flight?.bounds ? mixedBounds(flight.bounds, geometry.bounds, flight.share) : geometry.bounds;
  }

  /** Every point in its place. */
  land() {
    if (!this.flight) return;
    this.flight = null;
    this.painter?.fly(this.geometry, null);
    this.unlocate();
    this.root.dataset.flying = "false";
    [this.pointsDirty, this.labelsDirty] = [true, true];
  }

  /** The camera that a bookmark asked for, once its layout is here. */
  recall() {
    const camera = this.geometry && arrived(this.chart, this.geometry.id);
    if (camera) this.lookAt(camera);
  }

  cameraKey() {
    return `${this.chart}|${this.geometry?.id}`;
  }

  uploadGeometry() {
    if (this.geometry && this.painter) this.painter.place(this.geometry);
  }

  uploadPaint() {
    if (!this.geometry || !this.paint) return;
    this.drawn = drawable(this.paint, this.selection?.count ? this.selection.mask : null);
    if (!this.painter) return;
    this.painter.paint(this.geometry, this.drawn);
    this.tinted = NaN;
  }

  /** Whether everything is shown, as at first. */
  isHome() {
    return !this.geometry || isHome(this.camera, this.geometry.bounds);
  }

  /** @param {{chosen: number, neighbors: number[], hits: number[]}} marks */
  highlight({ chosen, neighbors, hits }) {
    if (this.touched && this.hovered >= 0 && chosen !== this.hovered) this.hover(-1); // a tooltip without a mouse to end it
    this.chosen = chosen;
    this.neighbors = neighbors;
    this.hits = hits;
    this.draw({ labels: true });
  }

  /** The rows that keep their color; all do where none are selected. @param {import("./selection.mjs").Selection | null} selection */
  select(selection) {
    this.selection = selection;
    if (selection) selections.set(selection.id, selection);
    this.root.dataset.selected = String(selection?.count ?? 0);
    this.uploadPaint();
    this.onSelected();
    this.draw({ points: true, labels: true });
  }

  /** The margins around the points. */
  frame() {
    const axes = this.geometry?.axes ?? [];
    const narrow = this.width < 640;
    const solid = this.geometry?.dimensions === 3;
    const side = narrow ? 8 : 24;
    const legend = this.paint && hasLegend(this.paint) ? 48 : 0;
    return {
      width: this.width,
      height: this.tall,
      left: axes.length > 1 && !solid ? Math.max(26, side) : side,
      right: side,
      top: !narrow ? 16 : this.tooled ? BAR : 10,
      bottom: (axes.length ? 26 : narrow ? 10 : 16) + legend,
    };
  }

  resize() {
    if (this.ended) return;
    this.width = this.root.clientWidth;
    let wanted = this.height;
    if (this.width < 640 && this.geometry) {
      const { bounds } = this.geometry;
      const aspect = bounds.radius ? 1 : (bounds.maxX - bounds.minX) / (bounds.maxY - bounds.minY) || 1;
      const { left, right, top, bottom } = this.frame();
      wanted = Math.min(336, this.height, Math.max(200, (this.width - left - right) / aspect + top + bottom));
    } else if (this.width < 640) wanted = Math.min(336, this.height);
    wanted = Math.round(wanted);
    if (this.root.style.height !== `${wanted}px`) this.root.style.height = `${wanted}px`;
    const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
    const [wide, high] = [Math.round(this.width * ratio), Math.round(wanted * ratio)];
    if (this.tall === wanted && this.under.width === wide && this.under.height === high && this.ratio === ratio) return;
    this.tall = wanted;
    this.ratio = ratio;
    for (const canvas of [this.under, this.over]) [canvas.width, canvas.height] = [Math.max(wide, 1), Math.max(high, 1)];
    this.unlocate();
    this.hover(this.hovered);
    this.draw({ points: true, labels: true, now: true });
  }

  transform() {
    if (!this.flight?.bounds) return this.goal();
    const [bounds, frame] = [this.bounds(), this.frame()];
    return transformOf(carried(this.camera, this.geometry.bounds, bounds, frame), bounds, frame);
  }

  /** The way from data to pixels once all points are in their place, which is what the camera knows of. */
  goal() {
    return transformOf(this.camera, this.geometry.bounds, this.frame());
  }

  /** How few points are in view, 0 to 1, by how densely most lie: the same wherever the map is panned. */
  few() {
    const { count, spread } = this.geometry;
    const seen = (this.width * this.tall) / this.goal().k ** 2;
    return fewness(count * (spread > seen ? seen / spread : 1));
  }

  /** Radii of the rest and of the colored points: by LOOK, smaller where all of many points are colored; alike where they are few. */
  radii() {
    const narrow = this.width < 640;
    const closer = Math.min(Math.max(this.camera.zoom, 1) ** 0.3, 2);
    const fine = Math.min(1, (200_000 / Math.max(this.geometry.count, 1)) ** 0.25);
    const alone = this.paint.colored ? 1 : 1.6; // the rest is all there is
    const rest = (narrow ? 0.65 : 1) * alone * closer * fine;
    const most = narrow ? 1.6 : 2.3;
    const crowd = Math.min(1, Math.sqrt(4000 / Math.max(this.paint.colored, 1)));
    const colored = Math.max(most * crowd, (narrow ? 0.8 : 1.1) * fine) * Math.min(closer, 1.6);
    const few = this.few();
    const full = mix(colored, Math.max(colored, narrow ? FULL.narrow : FULL.wide), few);
    return /** @type {[number, number]} */ ([mix(rest, full, few), full]);
  }

  /**
   * Opacities of the rest and of the colored points: fainter where they would cover their room more than once, so that
   * one sees where many lie.
   * @param {number} share of the points that are drawn
   */
  opacity(share) {
    const { count, spread } = this.geometry;
    const { colored } = this.drawn;
    const room = spread * this.goal().k ** 2;
    const radii = this.radii();
    const few = this.few();
    return /** @type {[number, number]} */ (
      [count - colored, colored].map((n, i) =>
        mix(clamp((MOST_COVER * room) / (share * n * Math.PI * radii[i] ** 2 || 1), FAINTEST, 1), 1, few),
      )
    );
  }

  /** What a painter needs. @param {number} share @returns {import("./shaders.mjs").Sketch} */
  sketch(share) {
    return {
      transform: this.transform(),
      width: this.width,
      height: this.tall,
      ratio: this.ratio,
      radii: this.radii(),
      opacity: this.opacity(share),
      bg: rgb(this.look.bg),
      share,
      flight: this.flight ? this.flight.share : 1,
      fade: mix(FADE.many, FADE.few, this.few()),
    };
  }

  /** What has to be drawn again; `now` draws in this task. @param {{points?: boolean, labels?: boolean, now?: boolean}} what */
  draw({ points = false, labels = false, now = false } = {}) {
    this.pointsDirty ||= points;
    this.labelsDirty ||= labels;
    this.overlayDirty = true;
    if (this.ended || !this.geometry || !this.paint) return;
    if (now) {
      this.tick(performance.now());
      return;
    }
    this.requested ||= requestAnimationFrame((time) => {
      this.requested = 0;
      this.tick(time);
    });
  }

  /** @param {number} time */
  tick(time) {
    if (this.ended || !this.geometry || !this.width || !this.tall) return;
    this.proceed();
    if (this.flight) this.fly();
    const busy = this.moving || this.flight !== null || this.rolling;
    if (this.pointsDirty) {
      if (this.moving) this.measureFrame(time);
      this.drawPoints(busy ? this.share : 1);
      this.lastFrame = time;
    }
    // After many points have been drawn, what is located of them waits for the next frames, a slice in each.
    const passing = (this.flight?.bounds || this.rolling) && !this.moving && this.geometry.count <= MOST_RELABELED && time - this.labeled > RELABEL_MS;
    if (this.labelsDirty && (passing || !busy) && !(this.pointsDirty && this.geometry.count > SLICE) && this.locate()) {
      this.labelsDirty = false;
      this.layout(time);
    }
    if (this.overlayDirty || this.pointsDirty) this.drawOver(time);
    this.pointsDirty = false;
    const first = this.root.dataset.ready !== "true";
    if (first) this.root.dataset.ready = "true";
    this.root.dataset.theme = this.look.name;
    const { x, y, zoom, z, yaw, pitch } = this.camera;
    this.root.dataset.camera = [x, y, zoom, ...(yaw === undefined ? [] : [z, yaw, pitch])].map((v) => v.toPrecision(6)).join(",");
    this.root.dataset.selection = this.chosen >= 0 && this.chosen < this.geometry.count ? this.geometry.words.at(this.chosen) : "";
    this.root.dataset.neighbors = String(this.neighbors.length);
    this.root.dataset.hits = String(this.hits.length);
    if (this.fading(time) || this.animation || this.flight || (this.labelsDirty && !busy)) this.draw();
  }

  /**
   * Three frames in a row that take too long while the map moves halve what is drawn of it in motion; after a movement
   * of quick frames it doubles. The first two of a movement do not count: they wait for what went before.
   * @param {number} time
   */
  measureFrame(time) {
    const passed = time - this.lastFrame;
    this.moved++;
    if (this.moved <= 2 || passed <= 0 || passed > 1000) return;
    this.root.dataset.frame = passed.toFixed(1);
    this.slow = passed > SLOW_MS ? this.slow + 1 : 0;
    if (passed < SLOW_MS / 2) this.quick++;
    if (this.slow < 3 || this.geometry.count * this.share < 20000) return;
    this.share /= 2;
    this.slow = -SETTLING;
    this.quick = -Infinity; // this movement was too much
  }

  /** @param {number} share */
  drawPoints(share) {
    if (!this.painter || this.gl?.isContextLost()) return;
    const few = this.few();
    if (few !== this.tinted) this.painter.tint(paletteOf(this.look, this.paint, few));
    this.tinted = few;
    const drawn = this.painter.draw(this.sketch(Math.min(share, this.painter.most / this.geometry.count)));
    this.frames++;
    this.root.dataset.drawn = String(drawn);
    this.root.dataset.frames = String(this.frames);
  }

  /** @param {number} time */
  drawOver(time) {
    this.overlayDirty = false;
    const { context, over, ratio } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, over.width, over.height);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawOverlay(context, this.scene(time));
    if (this.hovered >= 0) this.placeHover();
    this.resetButton.hidden = isHome(this.camera, this.geometry.bounds);
    this.trailsButton.hidden = !this.trails.length;
    this.over.classList.toggle("closer", !this.resetButton.hidden);
  }

  /** @param {number} time @returns {import("./overlay.mjs").Scene} */
  scene(time) {
    // Zooming out draws words together: those placed for a closer look go at once.
    const shrunk = this.camera.zoom < 0.85 * this.labeledZoom;
    const labels = [...this.shown.values()]
      .filter(({ label }) => !shrunk || label.kind === "name" || label.kind === "chosen")
      .map(({ label, from, to, since }) => ({ label, opacity: from + (to - from) * Math.min((time - since) / FADE_MS, 1) }))
      .filter(({ opacity }) => opacity > 0);
    return {
      transform: this.transform(),
      frame: this.frame(),
      geometry: this.geometry,
      paint: this.paint,
      look: this.look,
      place: this.placer(),
      point: (row) => this.pointOf(row),
      chosen: this.chosen,
      neighbors: this.neighbors,
      hits: this.hits,
      trails: this.trails,
      caption: this.caption,
      rolling: this.rolling || this.flight !== null,
      labels,
    };
  }

  located() {
    while (!this.locate());
    return this.grid;
  }

  /** One more slice of the grid; whether it is whole. */
  locate() {
    if (this.grid) return true;
    const { points, dimensions } = this.passing();
    this.slices ??= gridding(points, dimensions, this.transform(), this.width, this.tall, this.spare);
    const { done, value } = this.slices.next();
    if (!done) return false;
    [this.grid, this.slices, this.spare] = [value, null, null];
    return true;
  }

  /** The layout as it is now, in the middle of a movement perhaps. */
  passing() {
    const { flight, geometry } = this;
    return flight?.bounds ? { ...geometry, points: blended(flight, geometry, geometry.dimensions) } : geometry;
  }

  /** The points have moved on the screen: the grid has to be made again, in the same memory. */
  unlocate() {
    this.spare = this.grid ?? this.spare;
    [this.grid, this.slices] = [null, null];
  }

  /** @param {number} time */
  layout(time) {
    this.labeled = time;
    const frame = this.frame();
    const reserved = [];
    if (hasLegend(this.paint)) reserved.push(legendRect(frame, this.geometry.axes.length > 0));
    if (this.geometry.axes.length) reserved.push({ x: 0, y: frame.height - 22, width: frame.width, height: 22 });
    if (this.geometry.dimensions > 2 && this.geometry.axes.length) reserved.push(tripodRect(frame));
    else if (this.geometry.axes.length > 1) reserved.push({ x: 0, y: 0, width: 20, height: frame.height });
    const { offsetWidth: wide, offsetHeight: high } = this.bar;
    if (wide) reserved.push({ x: frame.width - wide - 8, y: 0, width: wide + 8, height: high + 8 });
    if (this.caption) reserved.push(captionRect(this.context, this.caption, this.look));
    const followed = new Set(this.trails.map(({ row }) => row));
    for (const { rect, head: [x, y] } of followed.size ? headsOf(this.context, this.scene(time)) : []) {
      reserved.push(rect, { x: x - 5, y: y - 5, width: 10, height: 10 });
    }
    const labels = labelsOf({
      geometry: this.passing(),
      paint: this.drawn,
      grid: this.located(),
      transform: this.transform(),
      frame,
      zoom: this.camera.zoom,
      chosen: this.chosen,
      neighbors: this.neighbors,
      hits: this.hits,
      reserved,
      reach: Math.max(3, this.radii()[1]),
      measure: (text, size, weight) => {
        this.context.font = fontOf(this.look.font, size, weight);
        return this.context.measureText(text).width;
      },
    }).filter(({ row }) => !followed.has(row)); // these bear their names at the heads of their trails
    this.labeledZoom = this.camera.zoom;
    const quick = still();
    const before = this.shown;
    this.shown = new Map();
    for (const label of labels) {
      const known = before.get(label.id);
      const same = known && known.label.kind === label.kind && Math.hypot(known.label.dx - label.dx, known.label.dy - label.dy) < 3;
      // What one has just asked for is there at once; the rest comes in quietly.
      const at = quick || label.kind === "chosen" || label.kind === "neighbor" ? 1 : same ? opacityOf(known, time) : 0;
      this.shown.set(label.id, { label, from: at, to: 1, since: time });
    }
    this.root.dataset.labels = String(labels.length);
    this.root.dataset.names = labels.filter((label) => label.kind === "name").map((label) => label.text).join("|");
  }

  /** @param {number} time */
  fading(time) {
    for (const { from, to, since } of this.shown.values()) if (from !== to && time - since < FADE_MS + 20) return true;
    return false;
  }

  /** The camera somewhere else; one that does not suit the points leaves all as it is. @param {import("./geometry.mjs").Camera} camera */
  lookAt(camera) {
    if (!this.geometry || !suits(camera, this.geometry.bounds)) return;
    this.camera = held(camera, this.geometry.bounds);
    if (!this.travelled()) cameras.set(this.cameraKey(), this.camera);
    this.unlocate();
    if (!this.moving) {
      this.moving = true;
      if (this.quick >= MANY_QUICK) this.share = Math.min(2 * this.share, mostMoving(this.geometry.count));
      this.moved = 0;
      this.slow = 0;
      this.quick = 0;
      this.root.dataset.moving = "true";
    }
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), REST_MS);
    this.draw({ points: true, labels: true });
  }

  rest() {
    if (this.ended) return;
    if (this.animation) {
      this.resting = setTimeout(() => this.rest(), REST_MS);
      return;
    }
    this.moving = false;
    this.root.dataset.moving = "false";
    this.draw({ points: this.share < 1, labels: true });
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    if (this.geometry) this.lookAt(panned(this.camera, this.goal(), dx, dy));
  }

  /** What a drag does: turns what has depth, moves what is flat. @param {number} dx @param {number} dy @param {boolean} [moves] moves what has depth as well */
  drag(dx, dy, moves = false) {
    if (this.geometry?.dimensions === 3 && !moves) this.lookAt(orbited(this.camera, dx, dy));
    else this.pan(dx, dy);
  }

  /** @param {number} px @param {number} py @param {number} factor */
  zoom(px, py, factor) {
    if (this.geometry) this.lookAt(zoomed(this.camera, this.goal(), px, py, factor));
  }

  /** A move one can follow with the eye; at once where motion is unwanted. @param {import("./geometry.mjs").Camera} camera */
  glide(camera) {
    if (!this.geometry) return;
    if (still()) {
      this.lookAt(camera);
      return;
    }
    this.animation = { from: this.camera, to: held(camera, this.geometry.bounds), since: performance.now() };
    this.lookAt(this.camera);
  }

  /** The camera's next step on its way. */
  proceed() {
    if (!this.animation) return;
    const { from, to, since } = this.animation;
    const share = Math.min((performance.now() - since) / GLIDE_MS, 1);
    if (share >= 1) this.animation = null;
    this.lookAt(between(from, to, 1 - (1 - share) ** 3));
  }

  /** @param {number} px @param {number} py @param {number} factor */
  glideZoom(px, py, factor) {
    if (this.geometry) this.glide(zoomed(this.camera, this.goal(), px, py, factor));
  }

  /** The camera on the words that leave trails, and on all places where they have been and will be. */
  zoomToTrails() {
    const { frames, moments, dimensions, bounds } = this.geometry ?? {};
    if (!frames || !this.trails.length) return;
    const size = frames.length / moments.length;
    const places = this.trails.flatMap(({ row }) =>
      moments.flatMap((_, moment) => [...frames.subarray(moment * size + dimensions * row, moment * size + dimensions * (row + 1))]),
    );
    const room = boundsOf(new Float32Array(places), dimensions);
    const frame = this.frame();
    const names = { ...frame, left: frame.left + NAMES.side, right: frame.right + NAMES.side, top: frame.top + NAMES.end, bottom: frame.bottom + NAMES.end };
    const { x, y, z } = homeOf(room);
    const middle = dimensions > 2 ? { x, y, z } : { x, y };
    this.glide({ ...this.camera, ...middle, zoom: clamp(fitOf(room, names) / fitOf(bounds, frame), 1, MOST_TRAIL_ZOOM) });
  }

  reset() {
    if (this.geometry) this.glide(homeOf(this.geometry.bounds));
  }

  /** The row under a pixel, or -1. @param {number} px @param {number} py @param {number} radius */
  rowAt(px, py, radius) {
    if (!this.geometry || !this.paint || (this.flight && !this.flight.bounds)) return -1;
    const { codes, kind } = this.paint;
    const marked = new Set([this.chosen, ...this.neighbors, ...this.hits]);
    return nearest(this.located(), px, py, radius, (row) =>
      marked.has(row) ? 5 : kind === "category" && codes && codes[row] !== 255 ? 3 : 0,
    );
  }

  /** Ring and tooltip at a row; none at -1. Draws neither points nor labels again. @param {number} row */
  hover(row) {
    this.hovered = row;
    const on = row >= 0 && this.geometry !== null;
    this.ring.hidden = !on;
    this.tip.hidden = !on;
    this.over.classList.toggle("on", on);
    this.root.dataset.hover = on ? this.geometry.words.at(row) : "";
    if (!on) return;
    const strong = document.createElement("strong");
    strong.textContent = this.geometry.words.at(row);
    this.tip.replaceChildren(strong);
    const line = meaning(this.paint, row);
    if (line) {
      const span = document.createElement("span");
      span.textContent = line;
      this.tip.append(span);
    }
    this.tipSize = null;
    this.placeHover();
  }

  placeHover() {
    const { x, y } = this.position(this.hovered);
    this.tipSize ??= [this.tip.offsetWidth, this.tip.offsetHeight];
    const [w, h] = this.tipSize;
    this.ring.style.transform = `translate(${x}px, ${y}px)`;
    const left = x + 14 + w > this.width ? x - 14 - w : x + 14;
    const top = Math.min(Math.max(y - h - 8, 2), this.tall - h - 2);
    this.tip.style.transform = `translate(${Math.round(Math.max(left, 2))}px, ${Math.round(top)}px)`;
  }

  /** What says where a row stands, in pixels. @returns {(row: number) => [number, number]} */
  placer() {
    const at = this.transform();
    return (row) => projected(at, ...this.pointOf(row));
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

  /** @param {number} row */
  position(row) {
    const [x, y] = this.placer()(row);
    return { x, y };
  }

  /** Chooses a row: marked here at once, then told to Python. @param {number} row */
  choose(row) {
    if (row < 0 || !this.geometry) return;
    if (row !== this.chosen) this.highlight({ chosen: row, neighbors: [], hits: this.hits });
    this.speak(`${this.geometry.words.at(row)} chosen`);
    this.onChoose(row);
  }

  /** Brings a row into view. @param {number} row */
  face(row) {
    const { x, y } = this.position(row);
    if (x >= 20 && y >= 20 && x <= this.width - 20 && y <= this.tall - 20) return;
    const [px, py, pz] = this.goalOf(row);
    this.glide({ ...this.camera, x: px, y: py, ...(this.geometry.dimensions > 2 ? { z: pz } : {}) });
  }

  /** To the next neighbor, or labeled word where there are no neighbors. @param {number} step 1 or -1 */
  walk(step) {
    if (!this.geometry) return;
    const rows = this.neighbors.length
      ? this.neighbors
      : [...this.shown.values()].map(({ label }) => label.row).filter((row) => row >= 0);
    if (!rows.length) return;
    const at = rows.indexOf(this.hovered);
    const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : (at + step + rows.length) % rows.length;
    this.face(rows[next]);
    this.hover(rows[next]);
    const line = meaning(this.paint, rows[next]);
    const what = this.neighbors.length ? "neighbor" : "word";
    this.speak(`${this.geometry.words.at(rows[next])}${line ? `, ${line}` : ""}, ${what} ${next + 1} of ${rows.length}`);
  }

  destroy() {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.resting);
    cancelAnimationFrame(this.requested);
    this.watch.disconnect();
    this.root.removeEventListener("transitionend", this.retheme);
    document.fonts?.removeEventListener?.("loadingdone", this.relabel);
    this.painter?.destroy();
    if (mounts.get(this.chart) === this) mounts.delete(this.chart);
    this.geometry = null;
    this.unlocate();
  }
}

/** @param {{from: number, to: number, since: number}} fade @param {number} time */
function opacityOf({ from, to, since }, time) {
  return from + (to - from) * Math.min(Math.max((time - since) / FADE_MS, 0), 1);
}
