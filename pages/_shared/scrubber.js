/**
 * Points that move from layer to layer, in two parts that may stand apart on the page: "strip" (Play, the slider, a
 * small picture of each layer) and "picture" (the layer that is shown). Texts are untrusted: textContent and fillText.
 */
const STEP = 450; // ms from one layer to the next
const REST = 350; // ms that Play stays at a layer
const REACH = 14; // px about a point in which it is hovered
const movies = (globalThis.embedvizMovies ??= new Map()); // key -> movie, shared by its parts
const parts = new WeakMap(); // shadow root -> part, so that a rerun updates and never rebuilds

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// ---- the movie: what is shown, and when

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const eased = (part) => part * part * (3 - 2 * part);

class Movie {
  constructor() {
    this.parts = new Set();
    this.content = null;
    this.text = "";
    this.at = 0; // where between the layers
    this.layer = 0; // where it goes
    this.told = null; // the layer that Python gave last
    this.sent = []; // layers that Python was told and has not answered
    this.row = -1;
    this.hover = -1;
    this.playing = 0;
    this.frame = 0;
  }

  /** New points; the layer is Python's, unless it only repeats what it was told from here. */
  take(content, layer) {
    const text = JSON.stringify(content);
    const other = text !== this.text;
    if (other) [this.text, this.content, this.hover, this.sent] = [text, content, -1, []];
    const echo = this.sent.indexOf(layer);
    if (!other && echo >= 0) this.sent.splice(0, echo + 1);
    else if (other || layer !== this.told) {
      this.stop();
      [this.at, this.layer] = [layer, layer];
    }
    this.told = layer;
    this.draw();
  }

  get depth() {
    return this.content ? this.content.points.length : 0;
  }

  /** Where a row is now, in the units of the content. */
  place(row, at = this.at) {
    return between(this.content.points, row, at);
  }

  draw() {
    for (const part of this.parts) part.draw();
  }

  /** Goes to a layer: through those between, or at once. */
  go(layer, tell = true) {
    this.layer = Math.min(Math.max(layer, 0), this.depth - 1);
    cancelAnimationFrame(this.frame);
    const from = this.at;
    const time = Math.min(STEP * Math.max(1, Math.abs(this.layer - from)), 900);
    if (tell) this.tell();
    if (still() || from === this.layer) {
      this.at = this.layer;
      this.draw();
      return Promise.resolve();
    }
    return new Promise((done) => {
      let start = 0;
      const step = (now) => {
        start ||= now;
        const part = Math.min(1, (now - start) / time);
        this.at = part < 1 ? from + (this.layer - from) * eased(part) : this.layer;
        this.draw();
        if (part < 1) this.frame = requestAnimationFrame(step);
        else done();
      };
      this.frame = requestAnimationFrame(step);
    });
  }

  /** While the slider is held: the points follow it. */
  follow(at) {
    this.stop();
    cancelAnimationFrame(this.frame);
    this.at = still() ? Math.round(at) : at;
    this.layer = Math.round(at);
    this.draw();
  }

  tell() {
    const number = this.content.numbers[this.layer];
    if (this.sent.at(-1) === this.layer || (!this.sent.length && this.told === this.layer)) return;
    this.sent.push(this.layer);
    for (const part of this.parts) part.tell?.(number);
  }

  stop() {
    this.playing = 0;
  }

  async play() {
    if (this.playing) {
      this.stop();
      this.go(this.layer);
      return;
    }
    const turn = (this.playing = Math.random());
    if (this.layer === this.depth - 1) {
      this.at = this.layer = 0;
      this.draw();
      await wait(REST);
    }
    while (this.playing === turn && this.layer < this.depth - 1) {
      await this.go(this.layer + 1, false);
      await wait(still() ? STEP + REST : REST);
    }
    if (this.playing !== turn) return;
    this.stop();
    this.tell();
    this.draw();
  }
}

const wait = (time) => new Promise((done) => setTimeout(done, time));

/** The place of a row between two layers. */
function between(layers, row, at) {
  const [low, high] = [layers[Math.floor(at)], layers[Math.ceil(at)]];
  const part = at - Math.floor(at);
  return [0, 1].map((axis) => low[2 * row + axis] * (1 - part) + high[2 * row + axis] * part);
}

// ---- drawing

function lookOf(host, themes) {
  const style = getComputedStyle(host);
  const read = (name) => style.getPropertyValue(name).trim();
  const bg = read("--st-background-color") || "#ffffff";
  const dark = parseInt(bg.slice(1, 3), 16) < 100;
  return { ...themes[dark ? "dark" : "light"], bg, ink: read("--st-text-color"), border: read("--st-border-color"), font: read("--st-font") };
}

/** A canvas of the size it has on the page, sharp on any screen; its context counts in CSS pixels. */
function fitted(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** From the units of the content to pixels, the same at every layer. */
function scaleOf(content, width, height, edge) {
  const [wide, high] = content.box;
  const scale = Math.min((width / 2 - edge) / wide, (height / 2 - edge) / high);
  return ([x, y]) => [width / 2 + x * scale, height / 2 - y * scale];
}

function dot(context, look, code, count, [x, y], size) {
  const color = code < 0 ? look.rest : look.points[code];
  context.beginPath();
  if (count === 2 && code === 1) {
    const arm = size * 1.35;
    context.moveTo(x, y - arm);
    context.lineTo(x + arm, y);
    context.lineTo(x, y + arm);
    context.lineTo(x - arm, y);
    context.closePath();
    context.strokeStyle = color;
    context.lineWidth = Math.max(1.2, size * 0.4);
    context.stroke();
  } else {
    context.arc(x, y, size, 0, 7);
    context.fillStyle = color;
    context.fill();
  }
}

function drawPoints(context, content, look, at, onto, size) {
  const many = content.texts.length;
  for (let row = 0; row < many; row++) {
    const code = content.codes.length ? content.codes[row] : 0;
    dot(context, look, code, content.groups.length, onto(between(content.points, row, at)), size);
  }
}

// ---- the strip

class Strip {
  constructor(parent) {
    this.play = element("button", { type: "button", class: "play" });
    this.slider = element("input", { type: "range", step: "any", min: "0", "aria-label": "Layer" });
    this.value = element("output", { class: "value" });
    const line = element("div", { class: "line" }, this.play, element("span", { class: "name" }, "Layer"), element("div", { class: "track" }, this.value, this.slider));
    this.pictures = element("div", { class: "pictures", role: "group", "aria-label": "Layers" });
    this.root = element("div", { class: "strip" }, line, this.pictures);
    parent.append(this.root);
    this.play.addEventListener("click", () => this.movie.play());
    this.slider.addEventListener("input", () => this.movie.follow(Number(this.slider.value)));
    this.slider.addEventListener("change", () => this.movie.go(this.movie.layer));
    this.slider.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const { movie } = this;
    const last = movie.depth - 1;
    const to = { ArrowLeft: movie.layer - 1, ArrowDown: movie.layer - 1, ArrowRight: movie.layer + 1, ArrowUp: movie.layer + 1, Home: 0, End: last, PageDown: 0, PageUp: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    movie.stop();
    movie.go(to);
  }

  update(data, send) {
    this.tell = (number) => send("layer", number);
    this.movie.take(data.movie, data.layer);
  }

  draw() {
    const { movie } = this;
    const { content } = movie;
    if (!content) return;
    const width = this.root.clientWidth;
    const many = content.numbers.length;
    while (this.pictures.children.length > many) this.pictures.lastChild.remove();
    while (this.pictures.children.length < many) {
      const place = this.pictures.children.length;
      const button = element("button", { type: "button" }, element("canvas"), element("span", {}));
      button.addEventListener("click", () => (movie.stop(), movie.go(place)));
      this.pictures.append(button);
    }
    this.play.textContent = movie.playing ? "Stop" : "Play";
    this.slider.max = many - 1;
    if (Number(this.slider.value) !== movie.at) this.slider.value = movie.at;
    this.slider.setAttribute("aria-valuetext", `layer ${content.numbers[movie.layer]}`);
    this.value.textContent = content.numbers[movie.layer];
    this.value.style.left = `${(100 * movie.at) / Math.max(1, many - 1)}%`;
    [...this.pictures.children].forEach((button, place) => button.setAttribute("aria-pressed", String(place === movie.layer)));
    const look = lookOf(this.root, content.themes);
    const drawn = [movie.text.length, width, look.bg, movie.row].join();
    if (drawn === this.drawn && this.of === movie.text) return;
    [this.drawn, this.of] = [drawn, movie.text];
    [...this.pictures.children].forEach((button, place) => {
      button.lastChild.textContent = content.numbers[place];
      const canvas = button.firstChild;
      const { width: wide, height: high } = canvas.getBoundingClientRect();
      drawPoints(fitted(canvas, wide, high), content, look, place, scaleOf(content, wide, high, 12), 2.2);
    });
  }
}

// ---- the picture

class Picture {
  constructor(parent) {
    this.canvas = element("canvas", { role: "img", tabindex: "0" });
    this.tip = element("div", { class: "tip", hidden: "" });
    this.root = element("div", { class: "picture" }, this.canvas, this.tip);
    parent.append(this.root);
    this.canvas.addEventListener("pointermove", (event) => this.point(this.near(event)));
    this.canvas.addEventListener("pointerleave", () => this.point(-1));
    this.canvas.addEventListener("click", (event) => this.choose(this.near(event)));
  }

  update(data, send) {
    this.data = data;
    this.send = send;
    this.canvas.setAttribute("aria-label", data.summary);
    this.root.style.height = `${data.height}px`;
    this.movie.row = data.row;
    this.movie.draw();
  }

  onto() {
    return scaleOf(this.movie.content, this.root.clientWidth, this.root.clientHeight, 28);
  }

  near(event) {
    const { movie } = this;
    const { left, top } = this.canvas.getBoundingClientRect();
    const onto = this.onto();
    let [best, least] = [-1, REACH ** 2];
    for (let row = 0; row < movie.content.texts.length; row++) {
      const [x, y] = onto(movie.place(row));
      const far = (x - event.clientX + left) ** 2 + (y - event.clientY + top) ** 2;
      if (far < least) [best, least] = [row, far];
    }
    return best;
  }

  point(row) {
    if (row === this.movie.hover) return;
    this.movie.hover = row;
    this.draw();
  }

  choose(row) {
    this.movie.row = row === this.movie.row ? -1 : row;
    this.send("row", this.movie.row);
    this.movie.draw();
  }

  draw() {
    const { movie } = this;
    const { content } = movie;
    if (!content || !this.data) return;
    const [width, height] = [this.root.clientWidth, this.root.clientHeight];
    const context = fitted(this.canvas, width, height);
    const look = lookOf(this.root, content.themes);
    const onto = this.onto();
    drawPoints(context, content, look, movie.at, onto, 5);
    for (const row of [movie.row, movie.hover]) {
      if (row < 0) continue;
      const [x, y] = onto(movie.place(row));
      context.beginPath();
      context.arc(x, y, 9, 0, 7);
      context.strokeStyle = look.ink;
      context.lineWidth = 2;
      context.stroke();
    }
    const row = movie.hover >= 0 ? movie.hover : movie.row;
    this.tip.hidden = row < 0;
    if (row < 0) return;
    const [before, word, after] = content.texts[row];
    this.tip.replaceChildren(before, element("b", {}, word), after);
    const [x, y] = onto(movie.place(row));
    this.tip.style.left = `${Math.min(x, width - 260)}px`;
    this.tip.style.top = `${y + 14}px`;
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  let part = parts.get(parentElement);
  if (!part) {
    parentElement.querySelector(".strip, .picture")?.remove();
    part = new (data.part === "strip" ? Strip : Picture)(parentElement);
    parts.set(parentElement, part);
  }
  if (!movies.has(data.key)) movies.set(data.key, new Movie());
  part.movie = movies.get(data.key);
  part.movie.parts.add(part);
  part.update(data, setTriggerValue);
  return () => setTimeout(() => part.root.isConnected || part.movie.parts.delete(part));
}
