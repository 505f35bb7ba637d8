/**
 * All heads of all layers as a sheet of small pictures, and one of them opened. Tokens are untrusted: textContent only.
 *
 * Triggers: `head`, {layer, head} of the picture that was clicked; `token`, the number of the query that was; `key`,
 * that of the key.
 */
const NS = "http://www.w3.org/2000/svg";
const parts = new WeakMap(); // shadow root -> part, so that a rerun updates and never rebuilds
const LINE = 24; // px from a token to the next
const DIGITS = 2;
const FINE = 24; // tokens above which a small picture has less than a pixel or two for each

export default function ({ data, parentElement, setTriggerValue }) {
  let part = parts.get(parentElement);
  if (!part) {
    parentElement.querySelector(".heads")?.remove();
    part = new (data.part === "sheet" ? Sheet : Opened)(parentElement);
    parts.set(parentElement, part);
  }
  part.send = setTriggerValue;
  part.data = data;
  part.draw();
  return () => setTimeout(() => part.root.isConnected || part.end());
}

const bytesOf = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
const rgb = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
const mixed = (one, other, part) => one.map((value, at) => Math.round(value + (other[at] - value) * part));
const hex = (color) => `#${color.map((value) => value.toString(16).padStart(2, "0")).join("")}`;

/** The color of a share 0 to 1 on a scale of colors. */
function colorAt(scale, share) {
  const place = Math.max(0, Math.min(1, share)) * (scale.length - 1);
  const below = Math.min(scale.length - 2, Math.floor(place));
  return mixed(scale[below], scale[below + 1], place - below);
}

class Part {
  constructor(parent) {
    this.root = element("div", "heads");
    parent.append(this.root);
    this.resized = new ResizeObserver(() => this.width !== this.root.clientWidth && this.data && this.draw());
    this.resized.observe(this.root);
  }

  end() {
    this.resized.disconnect();
  }

  /** The tokens that are shown. */
  get shown() {
    const every = this.data.tokens.map((_, at) => at);
    return this.data.hide ? every.filter((at) => !this.data.special[at]) : every;
  }
}

/** One small picture a head, layers downward; arrow keys walk from one to the next. */
class Sheet extends Part {
  draw() {
    const { data } = this;
    this.width = this.root.clientWidth;
    const focus = this.root.getRootNode().activeElement?.dataset?.at;
    const weights = bytesOf(data.weights);
    const shown = this.shown;
    const scale = data.scale.map(rgb);
    const table = Array.from({ length: 256 }, (_, value) => colorAt(scale, value / 255));
    const grid = element("div", "sheet");
    grid.setAttribute("role", "group");
    grid.setAttribute("aria-label", data.label);
    grid.style.setProperty("--heads", data.heads);
    grid.append(element("span", "corner"));
    for (let head = 1; head <= data.heads; head++) grid.append(element("span", "name", String(head)));
    for (let layer = 1; layer <= data.layers; layer++) {
      grid.append(element("span", "name side", String(layer)));
      for (let head = 1; head <= data.heads; head++) grid.append(this.picture(layer, head, weights, shown, table));
    }
    this.root.replaceChildren(grid);
    if (focus) grid.querySelector(`[data-at="${focus}"]`)?.focus();
  }

  picture(layer, head, weights, shown, table) {
    const { data } = this;
    const t = data.tokens.length;
    const start = ((layer - 1) * data.heads + head - 1) * t * t;
    const button = element("button");
    const chosen = layer === data.layer && head === data.head;
    button.type = "button";
    button.dataset.at = `${layer}-${head}`;
    button.tabIndex = chosen ? 0 : -1;
    button.setAttribute("aria-pressed", String(chosen));
    button.setAttribute("aria-label", `Layer ${layer}, head ${head}`);
    button.title = `Layer ${layer}, head ${head}`;
    const canvas = element("canvas");
    canvas.width = canvas.height = Math.max(1, shown.length);
    canvas.className = shown.length > FINE ? "fine" : "";
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    shown.forEach((query, row) =>
      shown.forEach((key, column) => {
        const [r, g, b] = table[weights[start + query * t + key]];
        image.data.set([r, g, b, 255], 4 * (row * shown.length + column));
      }),
    );
    context.putImageData(image, 0, 0);
    button.append(canvas);
    button.addEventListener("click", () => this.send("head", { layer, head }));
    button.addEventListener("keydown", (event) => this.walk(event, layer, head));
    return button;
  }

  walk(event, layer, head) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    this.root.querySelector(`[data-at="${layer + step[0]}-${head + step[1]}"]`)?.focus();
  }
}

/** One head as lines, as a matrix, or dimension by dimension; an SVG that needs no style sheet. */
class Opened extends Part {
  constructor(parent) {
    super(parent);
    this.over = -1; // the query under the pointer
    this.answer = (event) => {
      if (event.detail.chart === this.data.key && this.svg) event.detail.drawing = this.svg.cloneNode(true);
    };
    window.addEventListener("embedviz:drawing", this.answer);
  }

  end() {
    super.end();
    window.removeEventListener("embedviz:drawing", this.answer);
  }

  draw() {
    this.width = this.root.clientWidth || 640;
    const style = getComputedStyle(this.root);
    const value = (name) => style.getPropertyValue(`--st-${name}`).trim();
    this.font = value("font") || "sans-serif";
    this.look = { ink: value("text-color"), muted: value("gray-color"), blue: value("blue-color"), line: value("border-color"), bg: value("background-color") };
    const height = { lines: () => this.lines(), matrix: () => this.matrix(), dimensions: () => this.dimensions() }[this.data.view];
    const focus = this.root.getRootNode().activeElement?.dataset?.query;
    this.svg = this.made("svg", { class: "main-svg", width: this.width, role: "group", "aria-label": this.data.label });
    const end = height();
    this.svg.setAttribute("height", end);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${end}`);
    this.root.replaceChildren(this.svg);
    if (focus) this.svg.querySelector(`[data-query="${focus}"]`)?.focus();
  }

  made(name, attributes = {}, text) {
    const made = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  put(name, attributes, text) {
    const made = this.made(name, attributes, text);
    this.svg.append(made);
    return made;
  }

  text(x, y, text, more = {}) {
    return this.put("text", { x, y, fill: this.look.ink, "font-family": this.font, "font-size": 14, "dominant-baseline": "central", ...more }, text);
  }

  cut(token, most) {
    return token.length > most ? `${token.slice(0, most - 1)}…` : token;
  }

  /** A token that can be chosen. */
  choice(kind, at, text) {
    text.dataset[kind === "token" ? "query" : "to"] = at;
    text.setAttribute("tabindex", "0");
    text.setAttribute("role", "button");
    text.setAttribute("aria-pressed", String(at === (kind === "token" ? this.data.token : this.data.to)));
    text.style.cursor = "pointer";
    text.addEventListener("click", () => this.send(kind, at));
    text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.send(kind, at);
    });
    return text;
  }

  weight(query, key) {
    return this.data.rows[query][key];
  }

  lines() {
    const { data, look } = this;
    const shown = this.shown;
    const longest = Math.max(...shown.map((at) => data.tokens[at].length));
    const left = Math.min(this.width * 0.26, 24 + 8.2 * longest);
    const bars = this.width < 480 ? 84 : 150;
    const right = this.width - bars - left;
    const top = 30;
    const y = (row) => top + LINE * (row + 0.5);
    const most = Math.max(4, Math.floor((left - 16) / 8.2));
    this.text(left - 10, 12, "from", { "text-anchor": "end", fill: look.muted, "font-size": 13 });
    this.text(right + 10, 12, "to", { fill: look.muted, "font-size": 13 });
    this.text(this.width - bars + 2, 12, "weight", { fill: look.muted, "font-size": 13 });
    const faint = this.put("g", {});
    const strong = this.put("g", {});
    const values = this.put("g", {});
    const curve = (row, column) => {
      const half = (left + right) / 2;
      return `M${left} ${y(row)}C${half} ${y(row)} ${half} ${y(column)} ${right} ${y(column)}`;
    };
    shown.forEach((query, row) =>
      shown.forEach((key, column) => {
        const weight = this.weight(query, key);
        if (weight > 0.02) faint.append(this.made("path", { d: curve(row, column), fill: "none", stroke: look.muted, "stroke-width": 1, "stroke-opacity": 0.28 * weight }));
      }),
    );
    const light = (query) => {
      strong.replaceChildren();
      values.replaceChildren();
      const row = shown.indexOf(query);
      if (row < 0) return;
      shown.forEach((key, column) => {
        const weight = this.weight(query, key);
        if (weight > 0.003) strong.append(this.made("path", { d: curve(row, column), fill: "none", stroke: look.blue, "stroke-width": 1 + 5 * weight, "stroke-opacity": 0.25 + 0.75 * weight }));
        const start = this.width - bars + 2;
        const room = bars - 44;
        const even = data.even[query][key];
        values.append(this.made("rect", { x: start, y: y(column) - 3, width: room, height: 6, rx: 3, fill: look.ink, "fill-opacity": 0.09 }));
        values.append(this.made("rect", { x: start, y: y(column) - 3, width: room * weight, height: 6, rx: 3, fill: look.blue }));
        values.append(this.made("rect", { x: start + room * even - 1, y: y(column) - 6, width: 2, height: 12, fill: look.ink }));
        values.append(this.made("text", { x: this.width, y: y(column), fill: look.ink, "font-family": this.font, "font-size": 13, "text-anchor": "end", "dominant-baseline": "central" }, weight.toFixed(DIGITS)));
      });
    };
    shown.forEach((at, row) => {
      const chosen = at === data.token;
      const query = this.choice("token", at, this.text(left - 10, y(row), this.cut(data.tokens[at], most), { "text-anchor": "end", "font-weight": chosen ? 700 : 400, fill: data.special[at] ? look.muted : look.ink }));
      query.addEventListener("pointerenter", () => light(at));
      query.addEventListener("pointerleave", () => light(data.token));
      this.choice("key", at, this.text(right + 10, y(row), this.cut(data.tokens[at], most), { "font-weight": at === data.to ? 700 : 400, fill: data.special[at] ? look.muted : look.ink }));
    });
    light(data.token);
    return top + LINE * shown.length + 8;
  }

  matrix() {
    const { data, look } = this;
    const shown = this.shown;
    const scale = data.scale.map(rgb);
    const longest = Math.max(...shown.map((at) => data.tokens[at].length));
    const label = Math.min(110, this.width * 0.28, 16 + 8.2 * longest);
    const cell = Math.max(4, Math.min(36, (this.width - label) / shown.length));
    const most = Math.floor(label / 8.2);
    const every = Math.max(1, Math.ceil(15 / cell));
    const size = Math.min(14, Math.max(12, cell * 0.8));
    const top = label;
    const asks = shown.indexOf(data.token);
    shown.forEach((query, row) => {
      const y = top + row * cell;
      shown.forEach((key, column) => {
        const weight = this.weight(query, key);
        const rect = this.put("rect", { x: label + column * cell, y, width: cell - (cell > 8 ? 1 : 0), height: cell - (cell > 8 ? 1 : 0), fill: hex(colorAt(scale, weight)) });
        rect.append(this.made("title", {}, `${data.tokens[query]} to ${data.tokens[key]}: ${weight.toFixed(DIGITS)}, even ${data.even[query][key].toFixed(DIGITS)}`));
        rect.style.cursor = "pointer";
        rect.addEventListener("click", () => this.send("token", query));
      });
      const near = asks >= 0 && Math.abs(row - asks) < every; // a label of the row that asks takes the place of one beside it
      if (query === data.token || (row % every === 0 && !near)) {
        this.choice("token", query, this.text(label - 8, y + cell / 2, this.cut(data.tokens[query], most), { "text-anchor": "end", "font-size": size, "font-weight": query === data.token ? 700 : 400, fill: data.special[query] ? look.muted : look.ink }));
        const x = label + (row + 0.5) * cell;
        this.text(x, top - 8, this.cut(data.tokens[query], most), { transform: `rotate(-90 ${x} ${top - 8})`, "font-size": size, fill: data.special[query] ? look.muted : look.ink });
      }
    });
    if (asks >= 0) this.put("rect", { x: label - 1, y: top + asks * cell - 1, width: shown.length * cell + 1, height: cell + 1, fill: "none", stroke: look.ink, "stroke-width": 2, "pointer-events": "none" });
    return top + shown.length * cell + 8;
  }

  /** The query, and for each key itself and its product with the query, one cell a dimension. */
  dimensions() {
    const { data, look } = this;
    const shown = this.shown;
    const scale = data.diverging.map(rgb);
    const label = Math.min(110, this.width * 0.26);
    const end = 52;
    const room = (this.width - label - end - 16) / 2;
    const strip = (values, x, y, reach) => {
      const width = room / values.length;
      values.forEach((value, at) => this.put("rect", { x: (x + at * width).toFixed(2), y: y - 8, width: (width + 0.2).toFixed(2), height: 16, fill: hex(colorAt(scale, 0.5 + value / (2 * reach))) }));
    };
    const reach = Math.max(1e-9, ...data.query.map(Math.abs), ...shown.flatMap((at) => data.keys[at].map(Math.abs)));
    const products = data.keys.map((key) => key.map((value, at) => value * data.query[at]));
    const farthest = Math.max(1e-9, ...shown.flatMap((at) => products[at].map(Math.abs)));
    const second = label + room + 16;
    const small = { fill: look.muted, "font-size": 13 };
    const most = Math.floor(label / 8.2);
    this.text(label, 10, "query", small);
    this.text(label - 8, 30, this.cut(data.tokens[data.token], most), { "text-anchor": "end", "font-weight": 700 });
    strip(data.query, label, 30, reach);
    this.text(label, 58, "keys", small);
    this.text(second, 58, this.width < 480 ? "query × key" : "query × key, one by one", small);
    this.text(this.width, 58, "sum", { ...small, "text-anchor": "end" });
    shown.forEach((at, row) => {
      const y = 80 + LINE * row;
      this.choice("key", at, this.text(label - 8, y, this.cut(data.tokens[at], most), { "text-anchor": "end", "font-weight": at === data.to ? 700 : 400, fill: data.special[at] ? look.muted : look.ink }));
      strip(data.keys[at], label, y, reach);
      strip(products[at], second, y, farthest);
      const sum = products[at].reduce((total, value) => total + value, 0);
      this.text(this.width, y, sum.toFixed(1).replace("-", "−"), { "text-anchor": "end", "font-size": 13 });
    });
    return 80 + LINE * shown.length;
  }
}
