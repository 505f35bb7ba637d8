/** One map: what it shows, how it is drawn, and when each part is drawn again. */

import { still } from "../web/elements.mjs";
import { Fading } from "./fading.mjs";
import { History } from "./history.mjs";
import { Location, SLICE, gridding } from "./grid.mjs";
import { labelsOf } from "./labels.mjs";
import { meaning } from "./legend.mjs";
import { drawOverlay, reservedOf } from "./overlay.mjs";
import { Pace } from "./pace.mjs";
import { Painting } from "./painting.mjs";
import { lookOf } from "./palette.mjs";
import { Pointer, furnish } from "./shell.mjs";
import { State } from "./state.mjs";
import { Steering } from "./steering.mjs";
import { arrived, cameras, mounts, selections } from "./store.mjs";
import { Turntable } from "./turntable.mjs";
import { rowAt } from "./walking.mjs";
import { fontOf } from "./writing.mjs";

/** @typedef {import("./data.mjs").Geometry} Geometry */
/** @typedef {import("./data.mjs").Paint} Paint */

const RELABEL_MS = 400; // labels are placed this often while the points move
const MOST_RELABELED = 50_000; // with more points, only once they rest
const NO_CANVAS = "This browser cannot draw the map. The words are in the table beside it.";

export class View {
  /** @param {HTMLElement} root @param {string} chart */
  constructor(root, chart) {
    this.root = root;
    this.chart = "";
    this.call(chart);
    this.shell = furnish(root);
    this.under = this.shell.under;
    this.over = this.shell.over;
    this.state = new State();
    this.steering = new Steering(this.state, (begins) => this.moved(begins), () => this.rested());
    this.location = new Location((spare) => this.slices(spare));
    this.fading = new Fading();
    this.pace = new Pace();
    this.pointer = new Pointer(this.shell);
    /** @type {import("./filter.mjs").Filter | null} */ this.filter = null;
    this.history = new History(this);
    this.turntable = new Turntable(this);
    this.hovered = -1;
    this.touched = false;
    this.height = 0;
    /** @type {import("./picture.mjs").Note} */ this.note = {};
    this.labeled = 0; // when labels were placed
    this.dirty = { points: false, overlay: false, labels: false };
    this.requested = 0;
    this.ended = false;
    /** @type {(row: number) => void} */ this.onChoose = () => {};
    /** @type {(message: any, selection: import("./selection.mjs").Selection) => void} */ this.onSelect = () => {};
    this.onSelected = () => {};
    this.link = ""; // the name that maps of the same words share
    /** @type {(row: number) => void} */ this.onHover = () => {};
    this.look = this.readLook();
    this.context = this.over.getContext("2d");
    this.painting = new Painting(this.under, () => this.restore());
    root.dataset.renderer = this.painting.kind;
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(root);
    root.addEventListener("transitionend", this.retheme);
    document.fonts?.addEventListener?.("loadingdone", this.relabel);
    root.dataset.ready = "false";
  }

  /** Take the name of a chart, under which others find the view. @param {string} chart */
  call(chart) {
    if (mounts.get(this.chart) === this) mounts.delete(this.chart);
    this.chart = chart;
    mounts.set(chart, this);
  }

  /** Draw again what the browser lost. */
  restore() {
    if (this.ended || !this.state.geometry) return;
    this.painting.place(this.state);
    this.painting.weigh(this.state);
    this.recolor();
    this.land();
    this.draw({ points: true });
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
    this.painting.untint();
    this.draw({ points: true, labels: true });
  };

  relabel = () => this.draw({ labels: true });

  /** Write a sentence in place of the map. @param {string} sentence */
  fail(sentence) {
    this.say(sentence);
    this.root.dataset.error = sentence;
  }

  /** Write a sentence over the map; an empty sentence hides it. @param {string} [sentence] */
  say(sentence = "") {
    this.shell.status.textContent = sentence;
    this.shell.status.hidden = !sentence;
  }

  /** @param {string} sentence */
  speak(sentence) {
    this.shell.live.textContent = sentence;
  }

  // what is shown

  /** Show new points, a new coloring, or both; points that have moved since stay where they are. @param {Geometry} geometry @param {Paint} paint */
  show(geometry, paint) {
    const { root, state } = this;
    const moved = geometry.id !== state.geometry?.id;
    const departure = moved && this.painting.painter && !still() ? state.departure(geometry) : null;
    if (moved) this.replace(geometry, departure !== null);
    state.paint = paint;
    this.filter?.arrive();
    this.painting.weigh(state);
    this.location.forget(); // other points, or a legend that takes room from them
    this.recolor();
    this.hover(this.touched ? -1 : this.hovered);
    this.say();
    delete root.dataset.error;
    if (!this.painting.painter) this.fail(NO_CANVAS);
    Object.assign(root.dataset, { points: geometry.count, geometry: geometry.id, dimensions: geometry.dimensions, coloring: paint.kind });
    this.resize();
    this.recall();
    this.history.note();
    this.turntable.draw();
    if (departure) {
      state.depart(departure, performance.now());
      this.painting.fly(state);
      root.dataset.flying = "true";
    }
    this.draw({ points: true, labels: true, now: departure !== null });
  }

  /** @param {Geometry} geometry @param {boolean} flies */
  replace(geometry, flies) {
    const { state } = this;
    const camera = state.cameraFor(geometry, cameras.get(this.keyOf(geometry)), flies);
    this.land();
    this.steering.way = null; // it leads to a place in the old layout
    state.take(geometry, camera);
    this.pace = new Pace(geometry.count);
    this.hover(-1);
    this.fading.clear();
    this.root.dataset.selected = "0";
    this.onSelected();
    this.painting.place(state);
  }

  /**
   * Move the same words to other positions, at an even pace, even from the middle of another movement. What is chosen,
   * selected, hovered and labeled stays so, and the camera keeps its zoom and its place among the points.
   * @param {Float32Array} points as many numbers per row as the map has dimensions, in the order of its rows
   * @param {number} [ms] duration; 0 moves them immediately, as always if the reader wants no motion
   * @param {import("./geometry.mjs").Bounds} [bounds] what the map shows; without it, the bounds of the points, so that the map grows with them
   * @returns {boolean} whether these are points of this map
   */
  moveTo(points, ms = 0, bounds = undefined) {
    const { state, painting } = this;
    const { geometry } = state;
    if (this.ended || !geometry || points.length !== geometry.dimensions * geometry.count) return false;
    this.steering.carry(state.move(points, bounds, still() || !painting.painter ? 0 : ms, performance.now()));
    painting.place(state);
    if (state.flight) painting.fly(state);
    this.location.forget();
    this.root.dataset.flying = String(state.flight !== null);
    this.draw({ points: true, labels: true });
    return true;
  }

  fly() {
    const { state, dirty } = this;
    const within = Boolean(state.flight.bounds);
    if (state.fly(performance.now())) this.land();
    if (within) this.location.forget();
    dirty.labels ||= within;
    dirty.points = true;
  }

  /** Put every point in its place, which ends a flight. */
  land() {
    const { state } = this;
    if (!state.flight) return;
    state.flight = null;
    this.painting.fly(state);
    this.location.forget();
    this.root.dataset.flying = "false";
    [this.dirty.points, this.dirty.labels] = [true, true];
  }

  /** Set the camera of a bookmark, once its layout is drawn. */
  recall() {
    const { geometry } = this.state;
    const camera = geometry && arrived(this.chart, geometry.id);
    if (camera) this.steering.lookAt(camera);
  }

  /** Return the key under which the camera is stored. @param {Geometry | null} geometry */
  keyOf(geometry) {
    return `${this.chart}|${geometry?.id}`;
  }

  recolor() {
    this.state.recolor();
    this.painting.color(this.state);
  }

  /** Hide points, and give the others their size. @param {Uint8Array | null} weights @param {import("./facets.mjs").Numbers | null} sized */
  weigh(weights, sized) {
    Object.assign(this.state, { weights, sized });
    if (!this.state.geometry) return;
    this.painting.weigh(this.state);
    this.location.forget();
    if (this.hovered >= 0 && !this.state.visible(this.hovered)) this.hover(-1);
    this.draw({ points: true, labels: true });
  }

  /** @param {{chosen: number, neighbors: number[], hits: number[], strangers: number[], guests?: import("./overlay.mjs").Guest[]}} marks */
  highlight(marks) {
    if (this.touched && this.hovered >= 0 && marks.chosen !== this.hovered) this.hover(-1); // a tooltip without a mouse to end it
    Object.assign(this.state, marks);
    this.draw({ labels: true });
  }

  /** Select the rows that keep their color; without a selection, all rows keep it. @param {import("./selection.mjs").Selection | null} selection */
  select(selection) {
    this.state.selection = selection;
    if (selection) selections.set(selection.id, selection);
    this.root.dataset.selected = String(selection?.count ?? 0);
    this.history.note();
    if (this.state.paint) this.recolor();
    this.onSelected();
    this.draw({ points: true, labels: true });
  }

  /** Enlarge points and type by a factor. @param {number} scale */
  enlarge(scale) {
    if (scale === this.state.scale) return;
    this.state.scale = scale;
    this.location.forget();
    this.draw({ points: true, labels: true });
  }

  resize() {
    if (this.ended) return;
    const { root, state, under } = this;
    state.width = root.clientWidth;
    const tall = state.height(this.height);
    if (root.style.height !== `${tall}px`) root.style.height = `${tall}px`;
    const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
    const [wide, high] = [Math.round(state.width * ratio), Math.round(tall * ratio)];
    if (state.tall === tall && under.width === wide && under.height === high && state.ratio === ratio) return;
    [state.tall, state.ratio] = [tall, ratio];
    for (const canvas of [under, this.over]) [canvas.width, canvas.height] = [Math.max(wide, 1), Math.max(high, 1)];
    this.location.forget();
    this.hover(this.hovered);
    this.draw({ points: true, labels: true, now: true });
  }

  /** Draw again after the camera has moved. @param {boolean} begins whether the camera stood still before */
  moved(begins) {
    if (!this.state.travelled()) cameras.set(this.keyOf(this.state.geometry), this.state.camera);
    this.location.forget();
    if (begins) this.pace.begin();
    this.root.dataset.moving = "true";
    this.draw({ points: true, labels: true });
  }

  /** Draw everything after the camera has come to rest. */
  rested() {
    if (this.ended) return;
    this.root.dataset.moving = "false";
    this.history.note();
    this.draw({ points: this.pace.share < 1, labels: true });
  }

  // drawing

  /** Show the buttons that the view needs, before labels are placed around them. */
  offerButtons() {
    const { shell, state, over } = this;
    shell.reset.hidden = state.isHome();
    shell.trails.hidden = !state.trails.length && !(state.chosen >= 0 && state.neighbors.length);
    shell.trails.textContent = state.trails.length ? "Zoom to the trails" : "Zoom to its neighbors";
    over.classList.toggle("closer", !shell.reset.hidden);
  }

  /** Request that points or labels are drawn again; `now` draws in this task. @param {{points?: boolean, labels?: boolean, now?: boolean}} what */
  draw({ points = false, labels = false, now = false } = {}) {
    this.dirty.points ||= points;
    this.dirty.labels ||= labels;
    this.dirty.overlay = true;
    if (this.ended || !this.state.geometry || !this.state.paint) return;
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
    const { state, steering, dirty, root } = this;
    if (this.ended || !state.geometry || !state.width || !state.tall) return;
    steering.proceed();
    if (state.flight) this.fly();
    const busy = steering.moving || state.flight !== null || state.rolling;
    if (dirty.points) {
      const passed = steering.moving ? this.pace.measure(time) : 0;
      if (passed) root.dataset.frame = passed.toFixed(1);
      this.drawPoints(busy ? this.pace.share : 1);
      this.pace.last = time;
    }
    this.offerButtons();
    // After many points have been drawn, their grid is made in the next frames, one slice in each.
    const waits = dirty.points && state.geometry.count > SLICE;
    if (dirty.labels && (!busy || this.passes(time)) && !waits && this.location.proceed()) {
      dirty.labels = false;
      this.layout(time);
    }
    if (dirty.overlay || dirty.points) this.drawOver(time);
    dirty.points = false;
    this.report();
    if (this.fading.changes(time) || steering.way || state.flight || (dirty.labels && !busy)) this.draw();
  }

  /** Return whether labels are placed while the points move. @param {number} time */
  passes(time) {
    const { state, steering } = this;
    const rolls = Boolean(state.flight?.bounds) || state.rolling;
    return rolls && !steering.moving && state.geometry.count <= MOST_RELABELED && time - this.labeled > RELABEL_MS;
  }

  /** Write on the root what is drawn, for tests and for pages. */
  report() {
    const { root, state, look } = this;
    const { x, y, zoom, z, yaw, pitch } = state.camera;
    const camera = [x, y, zoom, ...(yaw === undefined ? [] : [z, yaw, pitch])].map((v) => v.toPrecision(6)).join(",");
    const [neighbors, hits, strangers] = [state.neighbors, state.hits, state.strangers].map((rows) => rows.length);
    Object.assign(root.dataset, { ready: "true", theme: look.name, camera, selection: state.word, neighbors, hits, strangers });
  }

  /** @param {number} share */
  drawPoints(share) {
    const drawn = this.painting.draw(this.state, this.look, share);
    if (drawn >= 0) Object.assign(this.root.dataset, { drawn, frames: this.painting.frames });
  }

  /** @param {number} time */
  drawOver(time) {
    this.dirty.overlay = false;
    const { context, over, state } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, over.width, over.height);
    context.setTransform(state.ratio, 0, 0, state.ratio, 0, 0);
    drawOverlay(context, this.scene(time));
    if (this.hovered >= 0) this.pointer.place(...state.position(this.hovered), state);
  }

  /** Return what is drawn over the points. @param {number} time @returns {import("./overlay.mjs").Scene} */
  scene(time) {
    const { state, look } = this;
    const { geometry, paint, chosen, neighbors, hits, strangers, guests, trails, caption, sized } = state;
    return {
      ...{ geometry, paint, look, chosen, neighbors, hits, strangers, guests, trails, caption, sized },
      named: state.trails.length && !paint.colored ? state.named : null,
      visible: (row) => state.visible(row),
      radius: state.radii()[1],
      transform: state.transform(),
      frame: state.frame(),
      place: state.placer(),
      point: (row) => state.pointOf(row),
      rolling: state.rolling || state.flight !== null,
      labels: this.fading.seen(state.camera.zoom, time),
    };
  }

  /** @param {import("./grid.mjs").Grid | null} spare */
  slices(spare) {
    const { points, dimensions } = this.state.passing();
    return gridding(points, dimensions, this.state.transform(), this.state.width, this.state.tall, spare, this.state.weights);
  }

  /** Return the grid of all points in pixels. */
  located() {
    return this.location.whole();
  }

  /** @param {number} time */
  layout(time) {
    this.labeled = time;
    const { state, context, look } = this;
    const scene = this.scene(time);
    const followed = new Set(state.trails.map(({ row }) => row));
    const measure = (text, size, weight) => {
      context.font = fontOf(look.font, size, weight);
      return context.measureText(text).width;
    };
    const labels = labelsOf({
      geometry: state.passing(),
      paint: state.drawn,
      grid: this.located(),
      transform: scene.transform,
      frame: scene.frame,
      zoom: state.camera.zoom,
      chosen: state.chosen,
      neighbors: state.neighbors,
      hits: state.hits,
      only: state.named,
      regions: state.regions,
      reserved: reservedOf(context, scene, this.shell.bar.offsetWidth, this.shell.bar.offsetHeight),
      reach: Math.max(3, state.radii()[1]),
      measure,
    }).filter(({ row }) => !followed.has(row)); // these bear their names at the heads of their trails
    this.fading.take(labels, state.camera.zoom, time, still());
    this.filter?.write(labels.filter(({ kind }) => kind === "region").map(({ id }) => id.slice(1)));
    const names = labels.filter((label) => label.kind === "name").map((label) => label.text);
    Object.assign(this.root.dataset, { labels: labels.length, names: names.join("|") });
  }

  // the reader

  /** Return the row under a pixel, or -1. @param {number} px @param {number} py @param {number} radius */
  rowAt(px, py, radius) {
    return rowAt(this, px, py, radius);
  }

  /** Show ring and tooltip at a row; hide them at -1. Points and labels are not drawn again. @param {number} row */
  hover(row) {
    const { geometry, paint } = this.state;
    const other = row !== this.hovered;
    this.hovered = row;
    if (other) this.onHover(row);
    const on = row >= 0 && geometry !== null;
    this.over.classList.toggle("on", on);
    this.root.dataset.hover = on ? geometry.words.at(row) : "";
    if (!on) {
      this.pointer.hide();
      return;
    }
    this.pointer.show(geometry.words.at(row), meaning(paint, row));
    this.pointer.place(...this.state.position(row), this.state);
  }

  /** Choose a row: mark it here first, then notify Python. @param {number} row */
  choose(row) {
    const { geometry, chosen, hits } = this.state;
    if (row < 0 || !geometry) return;
    if (row !== chosen) this.highlight({ chosen: row, neighbors: [], hits, strangers: [] });
    this.speak(`${geometry.words.at(row)} chosen`);
    this.onChoose(row);
  }

  end() {
    if (this.ended) return;
    this.ended = true;
    this.steering.end();
    this.turntable.stop();
    cancelAnimationFrame(this.requested);
    this.watch.disconnect();
    this.root.removeEventListener("transitionend", this.retheme);
    document.fonts?.removeEventListener?.("loadingdone", this.relabel);
    this.painting.end();
    if (mounts.get(this.chart) === this) mounts.delete(this.chart);
    this.state.geometry = null;
    this.location.forget();
  }
}
