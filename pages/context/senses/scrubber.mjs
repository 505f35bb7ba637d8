/**
 * Points that move from layer to layer. The parts may stand apart on the page: "line" (Play and the slider), "strip"
 * (a small picture of each layer) and "picture" (the current layer). Texts are untrusted: textContent and fillText.
 *
 * Triggers: `layer` is the number of the layer where the slider was released; `row` is the clicked row, −1 for none.
 */
import { element, icon, still } from "../../../embedviz/figures/web/elements.mjs";
import { answerDrawing, mounting } from "../../../embedviz/figures/web/mounting.mjs";
import { clamp } from "../../../embedviz/figures/web/numbers.mjs";
import { Marker } from "./scores.mjs";
import { CanvasPen, Layout, NARROW, NOTE, SvgPen, between, drawPoints, drawRing, drawScene, lookOf, orderOf, scaleOf, sizeOf } from "./scene.mjs";

const STEP = 450; // ms from one layer to the next
const LONGEST = 900; // ms at most, through many layers
const REST = 500; // ms per layer during Play
const LECTURE_ZOOM = 1.43; // zoom of the lecture view
const ROUND = 410; // px of the window above and below the picture
const LEAST = 310; // px, least height of the picture
const LECTURE_REST = 750; // ms per layer during Play in the lecture view
const PAUSE = 250; // ms to wait for a further key before Python is notified
const REACH = 14; // px around a point in which the pointer hovers it
const GAP = { wide: 12, narrow: 8 };
const SMALLEST = 66; // px, least width of a small picture
const ICONS = { play: "M5 3.5v9l7.5-4.5z", stop: "M4 4h8v8H4z" };
const movies = (globalThis.embedvizMovies ??= new Map()); // key -> movie, shared by its parts

const partIn = mounting(".line, .strip, .picture", (parent, data) => {
  if (!movies.has(data.key)) movies.set(data.key, new Movie(data.key));
  return new { line: Line, strip: Strip, picture: Picture }[data.part](parent, movies.get(data.key));
});

/** @param {{data: any, parentElement: any, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function scrubber({ data, parentElement, setTriggerValue }) {
  const part = partIn(parentElement, data);
  part.movie.parts.add(part);
  part.update(data, setTriggerValue);
  return () => setTimeout(() => part.root.isConnected || part.end());
}

/** @type {(time: number) => Promise<void>} */
const wait = (time) => new Promise((done) => setTimeout(done, time));
const eased = (part) => part * part * (3 - 2 * part);

/** State of a movie: its points, the current layer, and the chosen row. */
class Movie {
  constructor(key) {
    this.parts = new Set();
    this.marker = new Marker(`${key}-scores`);
    this.content = null;
    this.text = ""; // the content as JSON, to detect a change
    this.film = ""; // points and sentences as JSON, without groups, to detect another movie
    this.at = 0; // current position, may lie between two layers
    this.layer = 0; // the layer that the points move to
    this.row = -1; // the chosen row, −1 for none
    this.hover = -1;
    this.turn = 0; // start time of Play in ms; 0 while it is stopped
    this.lecture = false;
    this.paused = false; // Play was stopped between layers and continues there
    this.frame = 0;
    this.told = null; // the layer that Python sent last
    this.sent = []; // values sent to Python and not yet answered
  }

  get last() {
    return this.content ? this.content.points.length - 1 : 0;
  }

  /** Set the points. Set the layer too, unless Python only echoes a layer sent from here. */
  take(content, layer) {
    const [text, film] = [content, [content.points, content.texts]].map((part) => JSON.stringify(part));
    const other = film !== this.film;
    if (text !== this.text) Object.assign(this, { text, film, content });
    if (other) Object.assign(this, { hover: -1, sent: [] });
    const echo = this.sent.indexOf(layer);
    const moved = layer !== this.told;
    this.told = layer;
    if (other) {
      this.stop();
      this.paused = false;
      this.at = this.layer = layer;
    } else if (echo >= 0) this.sent.splice(0, echo + 1);
    else if (moved) {
      this.stop();
      this.go(layer, false);
    }
    this.draw();
  }

  /** The chosen row, or −1 if these points do not have it. */
  get chosen() {
    return this.row < this.content.texts.length ? this.row : -1;
  }

  draw() {
    if (!this.content) return;
    for (const part of this.parts) part.draw();
    this.mark();
  }

  /** Mark the current layer in the score chart. */
  mark() {
    const root = [...this.parts].find((part) => part.root.isConnected)?.root;
    if (!root) return;
    const { numbers, themes } = this.content;
    const [low, high] = [Math.floor(this.at), Math.ceil(this.at)];
    const layer = numbers[low] + (numbers[high] - numbers[low]) * (this.at - low);
    this.marker.draw(layer, lookOf(root, themes), this.turn > 0 || this.at !== this.layer);
  }

  /** Move to a layer through the layers between, or jump if motion is not wanted. Resolve on arrival. */
  go(layer, tell = true) {
    const from = this.at;
    this.layer = clamp(layer, 0, this.last);
    cancelAnimationFrame(this.frame);
    if (tell) this.tell();
    const way = this.layer - from;
    if (still() || !way) {
      this.at = this.layer;
      this.draw();
      return Promise.resolve();
    }
    const time = clamp(STEP * Math.abs(way), 120, LONGEST);
    return new Promise((/** @type {(value?: unknown) => void} */ done) => {
      let start = 0;
      const step = (now) => {
        start ||= now;
        const part = Math.min(1, (now - start) / time);
        this.at = part < 1 ? from + way * eased(part) : this.layer;
        this.draw();
        if (part < 1) this.frame = requestAnimationFrame(step);
        else done();
      };
      this.frame = requestAnimationFrame(step);
    });
  }

  /** Move the points with the slider while it is held. */
  follow(at) {
    this.stop();
    this.layer = Math.round(at);
    this.at = still() ? this.layer : at;
    this.draw();
  }

  tell() {
    if (!this.content) return;
    if (this.layer === (this.sent.length ? this.sent.at(-1) : this.told)) return;
    this.sent.push(this.layer);
    for (const part of this.parts) part.tell?.(this.content.numbers[this.layer]);
  }

  stop() {
    this.turn = 0;
    cancelAnimationFrame(this.frame);
  }

  /** Play from the first layer to the last, or continue where Play was paused. */
  async play() {
    const turn = (this.turn = performance.now());
    const goes = () => this.turn === turn && this.parts.size > 0;
    const on = this.paused && this.layer < this.last;
    this.paused = false;
    const rest = this.lecture ? LECTURE_REST : REST;
    if (!on) {
      this.at = this.layer = 0;
      this.draw();
      await wait(rest);
    }
    while (goes() && this.layer < this.last) {
      await this.go(this.layer + 1, false);
      if (goes()) await wait(still() ? STEP + rest : rest);
    }
    if (!goes()) return;
    this.turn = 0;
    this.tell();
    this.draw();
  }
}

/** A part on the page; it is redrawn when its size changes. */
class Part {
  constructor(parent, movie, root) {
    this.movie = movie;
    this.root = root;
    parent.append(root);
    this.watcher = new ResizeObserver(() => this.movie.draw());
    this.watcher.observe(root);
  }

  end() {
    this.watcher.disconnect();
    this.movie.parts.delete(this);
    if (this.movie.parts.size) return;
    this.movie.stop();
    this.movie.marker.end();
    for (const [key, movie] of movies) if (movie === this.movie) movies.delete(key);
  }
}

/** Play and the slider. */
class Line extends Part {
  constructor(parent, movie) {
    const [sign, word] = [icon(ICONS.play), element("span")];
    const play = element("button", { type: "button", class: "play" }, sign, word);
    const slider = element("input", { type: "range", step: "any", min: "0", "aria-label": "Layer" });
    const value = element("output", { "aria-hidden": "true" });
    super(parent, movie, element("div", { class: "line" }, play, element("span", { class: "name" }, "Layer"), element("div", { class: "track" }, value, slider)));
    this.slider = slider;
    this.value = value;
    this.play = play;
    this.path = sign.firstElementChild;
    this.word = word;
    play.addEventListener("click", () => this.start());
    slider.addEventListener("input", () => movie.follow(Number(slider.value)));
    slider.addEventListener("change", () => movie.go(movie.layer));
    slider.addEventListener("keydown", (event) => this.key(event));
    slider.addEventListener("keyup", () => this.tellSoon());
    this.everywhere = (event) => this.keyAnywhere(event);
    document.addEventListener("keydown", this.everywhere);
  }

  end() {
    document.removeEventListener("keydown", this.everywhere);
    super.end();
  }

  tellSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.movie.tell(), PAUSE);
  }

  /** In the lecture view, step by keys wherever the focus is, except in a field and in the picture. */
  keyAnywhere(event) {
    const at = event.composedPath()[0];
    if (!this.movie.lecture || event.defaultPrevented || at.closest?.("input, textarea, canvas, [role=radio]")) return;
    if (["ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return; // they scroll
    this.key(event);
    this.tellSoon();
  }

  start() {
    const { movie } = this;
    if (!movie.turn) return void movie.play();
    movie.stop();
    movie.paused = true;
    movie.go(movie.layer);
  }

  /** Move one step per key press; notify Python after the last one. */
  key(event) {
    const { movie } = this;
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -1, PageUp: 1, Home: -Infinity, End: Infinity };
    if (!(event.key in steps)) return;
    event.preventDefault();
    clearTimeout(this.timer);
    movie.stop();
    movie.go(movie.layer + steps[event.key], false);
  }

  update(data) {
    this.movie.lecture = data.lecture;
    this.movie.draw();
  }

  draw() {
    const { movie, slider, root } = this;
    const { content, last } = movie;
    root.hidden = !last;
    this.play.dataset.state = movie.turn ? "stop" : "play";
    this.path.setAttribute("d", ICONS[this.play.dataset.state]);
    this.word.textContent = movie.turn ? "Stop" : "Play";
    slider.max = String(last);
    if (Number(slider.value) !== movie.at) slider.value = String(movie.at);
    slider.setAttribute("aria-valuetext", `Layer ${content.numbers[movie.layer]} of ${content.numbers[last]}`);
    this.value.textContent = content.numbers[movie.layer];
    root.style.setProperty("--at", last ? movie.at / last : 0);
  }
}

/** A small picture of each layer. */
class Strip extends Part {
  constructor(parent, movie) {
    const pictures = element("div", { class: "pictures", role: "group", "aria-label": "Layers" });
    super(parent, movie, element("div", { class: "strip" }, pictures));
    this.pictures = pictures;
    /** @type {HTMLElement[]} the ring of each picture */ this.rings = [];
    this.drawn = ""; // width, background and content of the last drawing
  }

  update(data, send) {
    this.tell = (number) => send("layer", number);
    this.movie.take(data.movie, data.layer);
  }

  draw() {
    const { movie, root } = this;
    const { content, last } = movie;
    const width = root.clientWidth;
    this.pictures.hidden = !last;
    if (!width || !last) return;
    root.dataset.layer = content.numbers[movie.layer];
    const look = lookOf(root, content.themes);
    const now = `${width} ${look.bg} ${movie.text}`;
    if (this.drawn !== now) {
      this.drawn = now;
      this.drawAll(look, columnsOf(last + 1, width));
    }
    const ring = movie.hover >= 0 ? movie.hover : movie.chosen;
    for (const [place, button] of [...this.pictures.children].entries()) {
      button.setAttribute("aria-pressed", String(place === movie.layer));
      this.rings[place].hidden = ring < 0;
      if (ring < 0) continue;
      const [x, y] = this.onto(between(content.points, ring, place));
      this.rings[place].style.translate = `${x}px ${y}px`;
    }
  }

  /** Draw all small pictures on one scale. */
  drawAll(look, columns) {
    const { movie, pictures } = this;
    const { content } = movie;
    pictures.style.setProperty("--columns", columns);
    const canvases = content.numbers.map(() => element("canvas"));
    this.rings = content.numbers.map(() => element("i", { hidden: "" }));
    const buttons = content.numbers.map((number, place) => {
      const inside = [canvases[place], element("span", {}, String(number)), this.rings[place]];
      const button = element("button", { type: "button", "aria-label": `Layer ${number}` }, ...inside);
      button.addEventListener("click", () => (movie.stop(), movie.go(place)));
      return button;
    });
    pictures.replaceChildren(...buttons);
    const { clientWidth: wide, clientHeight: high } = buttons[0];
    this.onto = scaleOf(content, wide, high, wide / 10);
    for (const [place, canvas] of canvases.entries()) {
      drawPoints(new CanvasPen(canvas, wide, high, look), content, place, this.onto, sizeOf(content, wide < 100 ? 1.9 : 2.4));
    }
  }
}

/** Return the number of columns for `many` pictures, so that all rows are about equally long. */
function columnsOf(many, width) {
  const gap = width < NARROW ? GAP.narrow : GAP.wide;
  const most = Math.max(1, Math.floor((width + gap) / (SMALLEST + gap)));
  return Math.ceil(many / Math.ceil(many / most));
}

class Picture extends Part {
  constructor(parent, movie) {
    const canvas = element("canvas", { role: "application", "aria-roledescription": "picture of points", tabindex: "0", "aria-describedby": "keys" });
    const tip = element("div", { class: "tip", hidden: "" });
    const said = element("p", { class: "said", dir: "auto" });
    const keys = element("span", { class: "spoken", id: "keys" }, "Arrow keys walk from point to point, Enter chooses one, Escape lets go.");
    const spoken = element("span", { class: "spoken", role: "status" });
    super(parent, movie, element("div", { class: "picture" }, element("div", { class: "frame" }, canvas, tip), said, keys, spoken));
    this.canvas = canvas;
    this.tip = tip;
    this.said = said;
    this.spoken = spoken;
    this.sent = null; // the row that was sent to Python and not yet answered
    this.told = "";
    /** @type {any} */ this.data = null;
    /** @type {Layout | null} */ this.made = null;
    canvas.addEventListener("pointermove", (event) => this.point(this.under(event)));
    canvas.addEventListener("pointerleave", () => this.point(-1));
    canvas.addEventListener("blur", () => this.point(-1));
    canvas.addEventListener("click", (event) => this.choose(this.under(event)));
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.silence = answerDrawing(() => this.data?.key, () => this.drawing());
  }

  end() {
    this.silence();
    super.end();
  }

  update(data, send) {
    if (this.sent === data.row) this.sent = null;
    else if (this.data?.row !== data.row && this.sent === null) this.movie.row = data.row;
    this.data = data;
    this.send = send;
    this.canvas.setAttribute("aria-label", data.summary);
    this.movie.draw();
  }

  /** Return the places of names and sentences; compute them again only if something about them changed. */
  layout(look) {
    const { movie } = this;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { chosen: row } = movie;
    const { made } = this;
    if (made && made.content === movie.content && made.width === width && made.height === height && made.row === row && made.look.font === look.font) return made;
    return (this.made = new Layout(movie.content, width, height, look, row));
  }

  size() {
    return sizeOf(this.movie.content, this.made.narrow ? 4.2 : 5.2);
  }

  /** Return the row under the pointer, or −1. */
  under(event) {
    const { movie, made, canvas } = this;
    if (!made) return -1;
    const { left, top } = canvas.getBoundingClientRect();
    let [best, least] = [-1, (event.pointerType === "touch" ? 1.7 : 1) * REACH];
    for (const row of orderOf(movie.content)) {
      const [x, y] = made.onto(between(movie.content.points, row, movie.at));
      const far = Math.hypot(x - event.clientX + left, y - event.clientY + top);
      if (far <= least) [best, least] = [row, far];
    }
    return best;
  }

  point(row) {
    if (row === this.movie.hover) return;
    this.movie.hover = row;
    this.movie.draw();
  }

  choose(row) {
    const { movie } = this;
    const next = row === movie.row ? -1 : row;
    if (next === movie.row) return;
    movie.row = this.sent = next;
    this.send("row", next);
    movie.draw();
  }

  key(event) {
    const { movie, made } = this;
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key === "Enter" || event.key === " ") this.choose(movie.hover);
    else if (event.key === "Escape") (this.point(-1), this.choose(-1));
    else if (event.key in ways && made) this.walk(ways[event.key]);
    else return;
    event.preventDefault();
  }

  /** Go to the nearest point in this direction; without a current point, to the chosen one or the first. */
  walk([right, down]) {
    const { movie, made } = this;
    const placeOf = (row) => made.onto(between(movie.content.points, row, movie.at));
    if (movie.hover < 0) this.point(Math.max(movie.chosen, 0));
    else {
      const [x, y] = placeOf(movie.hover);
      let [best, least] = [movie.hover, Infinity];
      for (const row of movie.content.texts.keys()) {
        const [wide, high] = [placeOf(row)[0] - x, placeOf(row)[1] - y];
        const [along, across] = [wide * right + high * down, Math.abs(wide * down) + Math.abs(high * right)];
        if (along > 0.5 && along >= across / 2 && along + across < least) [best, least] = [row, along + across];
      }
      this.point(best);
    }
    this.spoken.textContent = this.textOf(movie.hover);
  }

  groupOf(row) {
    const { content } = this.movie;
    return content.groups[content.codes[row]] ?? "";
  }

  /** Return how many points coincide here, "" for one. Input vectors of one word at one position are equal. */
  shared(row) {
    const { movie, made } = this;
    const placeOf = (one) => made.onto(between(movie.content.points, one, movie.at));
    const [x, y] = placeOf(row);
    const here = movie.content.texts.reduce((sum, _, one) => sum + (Math.hypot(placeOf(one)[0] - x, placeOf(one)[1] - y) < 0.5), 0);
    return here > 1 ? `one of ${here} at this place` : "";
  }

  textOf(row) {
    return [this.groupOf(row), this.movie.content.texts[row].join("")].filter(Boolean).join(": ");
  }

  draw() {
    const { movie, root, canvas } = this;
    const { content } = movie;
    const width = root.clientWidth;
    if (!width || !this.data) return;
    const [wide, high] = content.box;
    const narrow = width < NARROW;
    const tall = clamp(innerHeight - ROUND, LEAST, this.data.height); // the whole figure fits the window
    const flat = Math.round(clamp((width * high) / wide, 240, 336));
    const strip = document.querySelector(`.st-key-${this.data.key}-strip`)?.clientHeight ?? 0; // 0 if it is hidden
    canvas.style.height = `${movie.lecture ? clamp((innerHeight - 300 - strip) / LECTURE_ZOOM, 240, 600) : narrow ? flat : tall}px`;
    const look = lookOf(root, content.themes);
    const layout = this.layout(look);
    const pen = new CanvasPen(canvas, layout.width, layout.height, look);
    drawScene(pen, layout, movie.at, this.size());
    for (const row of new Set([layout.row, movie.hover])) if (row >= 0) drawRing(pen, layout, row, movie.at, this.size());
    Object.assign(root.dataset, { layer: content.numbers[movie.layer], at: movie.at.toFixed(2), hover: movie.hover, row: layout.row });
    this.say(layout);
  }

  /** Show the sentence of the hovered or chosen point: next to the point, or below the picture on a phone. */
  say(layout) {
    const { movie, tip, said } = this;
    const row = movie.hover >= 0 ? movie.hover : layout.narrow ? layout.row : -1;
    said.hidden = !layout.narrow || (movie.lecture && row < 0);
    const written = row === layout.row && row >= 0 && movie.content.texts[row].join("").length <= NOTE.letters;
    tip.hidden = layout.narrow || row < 0 || (written && Number.isInteger(movie.at));
    const into = layout.narrow ? said : tip;
    const about = row < 0 ? "" : [this.groupOf(row), this.shared(row)].filter(Boolean).join(" · ");
    const told = JSON.stringify([row, layout.narrow, about, movie.content.texts[row]]);
    if (this.told !== told) {
      this.told = told;
      said.replaceChildren("Tap a point to read its sentence.");
      if (row >= 0) {
        const [before, word, after] = movie.content.texts[row];
        into.replaceChildren(element("span", { class: "sentence", dir: "auto" }, before, element("b", {}, word), after), element("span", { class: "group" }, about));
      }
    }
    if (tip.hidden) return;
    const [x, y] = layout.onto(between(movie.content.points, row, movie.at));
    const { offsetWidth: wide, offsetHeight: high } = tip;
    tip.style.left = `${clamp(x + 14, 0, Math.max(0, layout.width - wide))}px`;
    tip.style.top = `${y + 14 + high > layout.height ? y - 14 - high : y + 14}px`;
  }

  /** Return an SVG for a file: the small pictures, the current layer framed, and below them this picture. */
  drawing() {
    const { movie } = this;
    const { content } = movie;
    if (!content || !this.made) return null;
    const look = lookOf(this.root, content.themes);
    const layout = this.layout(look);
    const gap = layout.narrow ? GAP.narrow : GAP.wide;
    const columns = columnsOf(movie.last + 1, layout.width);
    const side = (layout.width - gap * (columns - 1)) / columns;
    const rows = Math.ceil((movie.last + 1) / columns);
    const top = movie.last ? rows * (side + gap) + 12 : 0;
    const pen = new SvgPen(layout.width, top + layout.height, look);
    const onto = scaleOf(content, side, side, side / 10);
    for (const [place, number] of movie.last ? content.numbers.entries() : []) {
      const here = place === movie.layer;
      pen.at((place % columns) * (side + gap), Math.floor(place / columns) * (side + gap));
      pen.line([[1, 1], [side - 1, 1], [side - 1, side - 1], [1, side - 1]], { closed: true, stroke: here ? look.ink : look.border, width: here ? 2 : 1 });
      drawPoints(pen, content, place, onto, sizeOf(content, side < 100 ? 1.9 : 2.4));
      pen.text(8, 15, String(number), { size: 13, weight: here ? 600 : 400, color: here ? look.ink : look.muted });
    }
    pen.at(0, top);
    drawScene(pen, layout, movie.layer, this.size());
    if (layout.row >= 0) drawRing(pen, layout, layout.row, movie.layer, this.size());
    return pen.root;
  }
}
