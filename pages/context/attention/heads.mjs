/**
 * The attention of all heads of all layers as a sheet of small pictures, and one head enlarged. Tokens are untrusted,
 * so they are set as textContent only.
 *
 * Triggers: `head` is {layer, head} of the clicked picture, `token` the number of the clicked query, `key` the number
 * of the clicked key.
 */
import { along, hex } from "../../../embedviz/figures/web/colors.mjs";
import { drawn, element } from "../../../embedviz/figures/web/elements.mjs";
import { answerDrawing, mounting } from "../../../embedviz/figures/web/mounting.mjs";
import { bytesOf, decimal } from "../../../embedviz/figures/web/numbers.mjs";

const LINE = 24; // px from one token to the next
const ROOMY = 40; // at most this many px in the lecture view
const AROUND = 340; // px of the window that the matrix leaves free above and below
const LECTURE = { zoom: 1.43, around: 190 }; // zoom of the lecture view, and px free above and below the figure
const FINE = 24; // number of tokens above which a cell of a small picture has only a pixel or two
const LETTER = 8.2; // px, about the width of a letter

const partIn = mounting(".heads", (parent, data) => new (data.part === "sheet" ? Sheet : Opened)(parent));

/** @param {{data: any, parentElement: any, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function heads({ data, parentElement, setTriggerValue }) {
  const part = partIn(parentElement, data);
  part.send = setTriggerValue;
  part.data = data;
  part.draw();
  return () => setTimeout(() => part.root.isConnected || part.end());
}

class Part {
  /** @param {Element} parent */
  constructor(parent) {
    /** @type {any} */ this.data = null;
    /** @type {(name: string, value: unknown) => void} */ this.send = () => {};
    this.width = 0;
    this.root = element("div", { class: "heads" });
    parent.append(this.root);
    this.resized = new ResizeObserver(() => this.width !== this.root.clientWidth && this.data && this.draw());
    this.resized.observe(this.root);
  }

  draw() {}

  end() {
    this.resized.disconnect();
  }

  /** Return the data attribute `name` of the focused element. @param {string} name @returns {string | undefined} */
  focused(name) {
    const root = /** @type {ShadowRoot} */ (this.root.getRootNode());
    return /** @type {HTMLElement | null} */ (root.activeElement)?.dataset?.[name];
  }

  /** Focus the element whose data attribute `name` is `at`. @param {string} name @param {string | undefined} at */
  refocus(name, at) {
    if (at) /** @type {HTMLElement | null} */ (this.root.querySelector(`[data-${name}="${at}"]`))?.focus();
  }

  /** Numbers of the tokens that are shown. */
  get shown() {
    const every = this.data.tokens.map((_, at) => at);
    return this.data.hide ? every.filter((at) => !this.data.special[at]) : every;
  }
}

/** One small picture per head: layers downward, heads across. Arrow keys move between the pictures. */
class Sheet extends Part {
  draw() {
    const { data } = this;
    this.width = this.root.clientWidth;
    const focus = this.focused("at");
    const weights = bytesOf(data.weights);
    const table = Array.from({ length: 256 }, (_, value) => along(data.scale, value / 255));
    const name = (text, kind = "") => element("span", { class: `name ${kind}`.trim() }, String(text));
    const columns = Array.from({ length: data.heads }, (_, head) => head + 1);
    const rows = Array.from({ length: data.layers }, (_, layer) => layer + 1);
    const pictures = rows.flatMap((layer) => [name(layer, "side"), ...columns.map((head) => this.picture(layer, head, weights, table))]);
    const about = { role: "group", "aria-label": data.label, style: `--heads: ${data.heads}` };
    const corner = element("span", { class: "corner" });
    this.root.replaceChildren(element("div", { class: "sheet", ...about }, corner, ...columns.map((head) => name(head)), ...pictures));
    this.refocus("at", focus);
  }

  /** @param {number} layer @param {number} head @param {Uint8Array} weights @param {[number, number, number][]} table */
  picture(layer, head, weights, table) {
    const { data, shown } = this;
    const t = data.tokens.length;
    const start = ((layer - 1) * data.heads + head - 1) * t * t;
    const chosen = layer === data.layer && head === data.head;
    const title = `Layer ${layer}, head ${head}`;
    const side = Math.max(1, shown.length);
    const canvas = element("canvas", { width: side, height: side, class: shown.length > FINE ? "fine" : "" });
    const state = { "data-at": `${layer}-${head}`, tabindex: chosen ? 0 : -1, "aria-pressed": chosen };
    const button = element("button", { type: "button", title, "aria-label": title, ...state }, canvas);
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    shown.forEach((query, row) =>
      shown.forEach((key, column) => {
        const [r, g, b] = table[weights[start + query * t + key]];
        image.data.set([r, g, b, 255], 4 * (row * shown.length + column));
      }),
    );
    context.putImageData(image, 0, 0);
    button.addEventListener("click", () => this.send("head", { layer, head }));
    button.addEventListener("keydown", (event) => this.walk(event, layer, head));
    return button;
  }

  walk(event, layer, head) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    this.refocus("at", `${layer + step[0]}-${head + step[1]}`);
  }
}

/** One head as lines, as a matrix, or dimension by dimension: an SVG that needs no style sheet. */
class Opened extends Part {
  constructor(parent) {
    super(parent);
    this.font = "sans-serif";
    this.look = { ink: "", muted: "", blue: "", bg: "" };
    /** @type {SVGSVGElement | null} */ this.svg = null;
    this.silence = answerDrawing(() => this.data.key, () => this.svg && /** @type {SVGElement} */ (this.svg.cloneNode(true)));
  }

  end() {
    super.end();
    this.silence();
  }

  draw() {
    this.width = this.root.clientWidth || 640;
    const style = getComputedStyle(this.root);
    const value = (name) => style.getPropertyValue(`--st-${name}`).trim();
    this.font = value("font") || "sans-serif";
    this.look = { ink: value("text-color"), muted: value("gray-color"), blue: value("blue-color"), bg: value("background-color") };
    const height = { lines: () => this.lines(), matrix: () => this.matrix(), dimensions: () => this.dimensions() }[this.data.view];
    const focus = this.focused("query");
    this.svg = drawn("svg", { class: "main-svg", width: this.width, role: "group", "aria-label": this.data.label });
    const end = height();
    this.svg.setAttribute("height", String(end));
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${end}`);
    this.root.replaceChildren(this.svg);
    this.refocus("query", focus);
  }

  /** Draw an element into the picture and return it. */
  put(name, attributes, ...children) {
    const made = drawn(name, attributes, ...children);
    this.svg.append(made);
    return made;
  }

  text(x, y, text, more = {}) {
    return this.put("text", { x, y, fill: this.look.ink, "font-family": this.font, "font-size": 14, "dominant-baseline": "central", ...more }, text);
  }

  cut(token, most) {
    return token.length > most ? `${token.slice(0, most - 1)}…` : token;
  }

  /** Make the text of a token clickable and return it. `kind`: "token" for a query, "key" for a key. */
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
    const line = data.lecture ? Math.min(ROOMY, Math.max(LINE, (innerHeight - LECTURE.around) / LECTURE.zoom / (shown.length + 1.5))) : LINE;
    const longest = Math.max(...shown.map((at) => data.tokens[at].length));
    const left = Math.min(this.width * 0.26, 24 + LETTER * longest);
    const bars = this.width < 480 ? 84 : 150;
    const right = this.width - bars - left;
    const top = 30;
    const y = (row) => top + line * (row + 0.5);
    const most = Math.max(4, Math.floor((left - 16) / LETTER));
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
        if (weight > 0.02) faint.append(drawn("path", { d: curve(row, column), fill: "none", stroke: look.muted, "stroke-width": 1, "stroke-opacity": 0.6 * weight }));
      }),
    );
    const light = (query) => {
      strong.replaceChildren();
      values.replaceChildren();
      const row = shown.indexOf(query);
      if (row < 0) return;
      shown.forEach((key, column) => {
        const weight = this.weight(query, key);
        if (weight > 0.003) strong.append(drawn("path", { d: curve(row, column), fill: "none", stroke: look.blue, "stroke-width": 1 + 5 * weight, "stroke-opacity": 0.25 + 0.75 * weight }));
        const start = this.width - bars + 2;
        const room = bars - 44;
        const even = data.even[query][key];
        values.append(drawn("rect", { x: start, y: y(column) - 3, width: room, height: 6, rx: 3, fill: look.ink, "fill-opacity": 0.09 }));
        values.append(drawn("rect", { x: start, y: y(column) - 3, width: room * weight, height: 6, rx: 3, fill: look.blue }));
        values.append(drawn("rect", { x: start + room * even - 1, y: y(column) - 6, width: 2, height: 12, fill: look.ink }));
        values.append(drawn("text", { x: this.width, y: y(column), fill: look.ink, "font-family": this.font, "font-size": 13, "text-anchor": "end", "dominant-baseline": "central" }, weight.toFixed(2)));
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
    return top + line * shown.length + 8;
  }

  matrix() {
    const { data, look } = this;
    const shown = this.shown;
    const longest = Math.max(...shown.map((at) => data.tokens[at].length));
    const label = Math.min(110, this.width * 0.28, 16 + LETTER * longest);
    const tall = data.lecture ? (innerHeight - LECTURE.around) / LECTURE.zoom : innerHeight - AROUND;
    const cell = Math.max(4, Math.min(36, (this.width - label) / shown.length, Math.max(14, (tall - label) / shown.length)));
    const most = Math.floor(label / LETTER);
    const every = Math.max(1, Math.ceil(15 / cell));
    const size = Math.min(14, Math.max(12, cell * 0.8));
    const top = label;
    const asks = shown.indexOf(data.token);
    shown.forEach((query, row) => {
      const y = top + row * cell;
      shown.forEach((key, column) => {
        const weight = this.weight(query, key);
        const rect = this.put("rect", { x: label + column * cell, y, width: cell - (cell > 8 ? 1 : 0), height: cell - (cell > 8 ? 1 : 0), fill: hex(along(data.scale, weight)) });
        rect.append(drawn("title", {}, `${data.tokens[query]} to ${data.tokens[key]}: ${weight.toFixed(2)}, even ${data.even[query][key].toFixed(2)}`));
        rect.style.cursor = "pointer";
        rect.addEventListener("click", () => this.send("token", query));
      });
      const near = asks >= 0 && Math.abs(row - asks) < every; // the label of the chosen row replaces a label next to it
      if (query === data.token || (row % every === 0 && !near)) {
        this.choice("token", query, this.text(label - 8, y + cell / 2, this.cut(data.tokens[query], most), { "text-anchor": "end", "font-size": size, "font-weight": query === data.token ? 700 : 400, fill: data.special[query] ? look.muted : look.ink }));
        const x = label + (row + 0.5) * cell;
        this.text(x, top - 8, this.cut(data.tokens[query], most), { transform: `rotate(-90 ${x} ${top - 8})`, "font-size": size, fill: data.special[query] ? look.muted : look.ink });
      }
    });
    if (asks >= 0) this.put("rect", { x: label - 1, y: top + asks * cell - 1, width: shown.length * cell + 1, height: cell + 1, fill: "none", stroke: look.ink, "stroke-width": 2, "pointer-events": "none" });
    return top + shown.length * cell + 8;
  }

  /** Draw the query, each key, and the product of each key with the query: one cell per dimension. */
  dimensions() {
    const { data, look } = this;
    const shown = this.shown;
    const label = Math.min(110, this.width * 0.26);
    const end = 52;
    const room = (this.width - label - end - 16) / 2;
    const strip = (values, x, y, reach) => {
      const width = room / values.length;
      values.forEach((value, at) => this.put("rect", { x: (x + at * width).toFixed(2), y: y - 8, width: (width + 0.2).toFixed(2), height: 16, fill: hex(along(data.diverging, 0.5 + value / (2 * reach))) }));
    };
    const reach = Math.max(1e-9, ...data.query.map(Math.abs), ...shown.flatMap((at) => data.keys[at].map(Math.abs)));
    const products = data.keys.map((key) => key.map((value, at) => value * data.query[at]));
    const farthest = Math.max(1e-9, ...shown.flatMap((at) => products[at].map(Math.abs)));
    const second = label + room + 16;
    const small = { fill: look.muted, "font-size": 13 };
    const most = Math.floor(label / LETTER);
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
      this.text(this.width, y, decimal(sum, 1), { "text-anchor": "end", "font-size": 13 });
    });
    return 80 + LINE * shown.length;
  }
}
