/** Draw a picture of points with a pen: on a canvas, or as SVG for a file. */

import { drawn } from "../../../embedviz/figures/web/elements.mjs";
import { clamp } from "../../../embedviz/figures/web/numbers.mjs";

/** @typedef {[number, number]} Point in pixels */
/** @typedef {[number, number, number, number]} Box left, top, right and bottom */

const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const BREAKS = /(?<=[ \u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])/; // a line may break after one of these
const ENDS = new RegExp(`${BREAKS.source}$`);
const SHAPES = ["disc", "diamond", "triangle", "square"]; // by group: filled, open, filled, open
export const NARROW = 440; // width in px below which the picture has no sentences
const MOST_PLACED = 400; // greatest number of points that names and sentences avoid
const CLEAR = 9; // px between a label and the center of a point
const CROSS = 9; // px, side of the square around a mark that no label may touch
export const NOTE = { size: 13, line: 18, wide: 190, letters: 60 };

const ruler = document.createElement("canvas").getContext("2d");

function widthOf(text, look, size, weight = 400) {
  ruler.font = `${weight} ${size}px ${look.font}`;
  return ruler.measureText(text).width;
}

/** Return the current colors and font. They are read from the style of the page, because its theme may change. */
export function lookOf(host, themes) {
  const style = getComputedStyle(host);
  const read = (name, other) => style.getPropertyValue(name).trim() || other;
  const bg = read("--st-background-color", "#ffffff");
  const dark = parseInt(bg.slice(1, 3), 16) < 128;
  const font = read("--st-font", "sans-serif").replaceAll('"', "'");
  return { ...themes[dark ? "dark" : "light"], bg, ink: read("--st-text-color", "#000000"), border: read("--st-border-color", "#cccccc"), font };
}

// ---- pens: `line` draws through points, `disc` a circle, `text` one line of text

export class CanvasPen {
  /** Match the canvas to the resolution of the screen; the pen's coordinates are CSS pixels. */
  constructor(canvas, width, height, look) {
    const ratio = (devicePixelRatio || 1) * (canvas.currentCSSZoom ?? 1); // the lecture view zooms
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    this.context = canvas.getContext("2d");
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
    this.look = look;
  }

  paint({ fill, stroke, width = 1, alpha = 1 }) {
    this.context.globalAlpha = alpha;
    if (fill) {
      this.context.fillStyle = fill;
      this.context.fill();
    }
    if (stroke) {
      Object.assign(this.context, { strokeStyle: stroke, lineWidth: width, lineJoin: "miter" });
      this.context.stroke();
    }
  }

  disc(x, y, radius, paint) {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 7);
    this.paint(paint);
  }

  line(points, paint) {
    this.context.beginPath();
    points.forEach(([x, y], place) => (place ? this.context.lineTo(x, y) : this.context.moveTo(x, y)));
    if (paint.closed) this.context.closePath();
    this.paint(paint);
  }

  text(x, y, text, { size, weight = 400, color, align = "left", alpha = 1 }) {
    const { context, look } = this;
    Object.assign(context, { font: `${weight} ${size}px ${look.font}`, textAlign: align, textBaseline: "middle", globalAlpha: alpha });
    context.direction = LEFTWARD.test(text) ? "rtl" : "ltr";
    Object.assign(context, { strokeStyle: look.bg, lineWidth: 4, lineJoin: "round", fillStyle: color });
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }
}

export class SvgPen {
  constructor(width, height, look) {
    this.look = look;
    this.root = drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "main-svg", "font-family": look.font });
    /** @type {SVGElement} */ this.into = this.root;
  }

  add(name, attributes, { fill = "none", stroke = "none", width = 1, alpha = 1 }) {
    const node = drawn(name, { ...attributes, fill, stroke, "stroke-width": width, opacity: alpha });
    this.into.append(node);
    return node;
  }

  /** Put everything that is drawn next into a group at this place. */
  at(x, y) {
    this.into = drawn("g", { transform: `translate(${x} ${y})` });
    this.root.append(this.into);
  }

  disc(x, y, radius, paint) {
    this.add("circle", { cx: x.toFixed(2), cy: y.toFixed(2), r: radius }, paint);
  }

  line(points, paint) {
    const d = points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join("");
    this.add("path", { d: paint.closed ? `${d}Z` : d }, paint);
  }

  text(x, y, text, { size, weight = 400, color, align = "left", alpha = 1 }) {
    const leftward = LEFTWARD.test(text);
    const anchor = { left: leftward ? "end" : "start", center: "middle", right: leftward ? "start" : "end" }[align];
    const font = { "font-size": size, "font-weight": weight, "text-anchor": anchor, direction: leftward ? "rtl" : "ltr" };
    const halo = { "paint-order": "stroke", "stroke-linejoin": "round" };
    const node = this.add("text", { x, y: y + size * 0.35, ...font, ...halo }, { fill: color, stroke: this.look.bg, width: 4, alpha });
    node.textContent = text;
  }
}

// ---- points

/** Return the place of a row at a fractional layer, in the units of the content. @returns {Point} */
export function between(layers, row, at) {
  const [low, high] = [layers[Math.floor(at)], layers[Math.ceil(at)]];
  const part = at - Math.floor(at);
  return [low[2 * row] * (1 - part) + high[2 * row] * part, low[2 * row + 1] * (1 - part) + high[2 * row + 1] * part];
}

/**
 * Return a function from content units to pixels: one scale for all layers, so that only the points move.
 * @returns {(point: Point) => Point}
 */
export function scaleOf(content, width, height, edge) {
  const [wide, high] = content.box;
  const scale = Math.min((width / 2 - edge) / wide, (height / 2 - edge) / high);
  return ([x, y]) => [width / 2 + x * scale, height / 2 - y * scale];
}

/** Return the rows in drawing order: rows without a group first. */
export const orderOf = (content) => (content.order ??= [...content.texts.keys()].sort((one, other) => (content.codes[one] ?? 0) - (content.codes[other] ?? 0)));

function drawPoint(pen, content, row, [x, y], size) {
  const code = content.codes.length ? content.codes[row] : 0;
  if (code < 0) return pen.disc(x, y, size * 0.8, { fill: pen.look.rest });
  const color = pen.look.points[code % pen.look.points.length];
  const shape = SHAPES[content.groups.length > 1 ? code % SHAPES.length : 0];
  if (shape === "disc") return pen.disc(x, y, size, { fill: color });
  const arm = size * { diamond: 1.4, triangle: 1.35, square: 0.95 }[shape];
  const corners = {
    diamond: [[0, -arm], [arm, 0], [0, arm], [-arm, 0]],
    triangle: [[0, -arm], [arm * 0.87, arm / 2], [-arm * 0.87, arm / 2]],
    square: [[-arm, -arm], [arm, -arm], [arm, arm], [-arm, arm]],
  }[shape].map(([right, down]) => [x + right, y + down]);
  pen.line(corners, shape === "triangle" ? { fill: color, closed: true } : { stroke: color, width: clamp(size * 0.4, 1, 2), closed: true });
}

export function drawPoints(pen, content, at, onto, size) {
  for (const row of orderOf(content)) drawPoint(pen, content, row, onto(between(content.points, row, at)), size);
  for (const layers of Object.values(content.marks)) {
    const [x, y] = onto(markAt(layers, at));
    const arm = size * 1.3;
    for (const way of [1, -1]) pen.line([[x - arm, y - way * arm], [x + arm, y + way * arm]], { stroke: pen.look.ink, width: clamp(size * 0.5, 1.2, 2.5) });
  }
}

/** @type {(layers: number[], at: number) => Point} */
const markAt = (layers, at) => {
  const [low, high, part] = [2 * Math.floor(at), 2 * Math.ceil(at), at - Math.floor(at)];
  const of = (axis) => layers[low + axis] * (1 - part) + layers[high + axis] * part;
  return [of(0), of(1)];
};

/** Return the size of a point: `most`, or less if there are many points. */
export const sizeOf = (content, most) => clamp(most * (120 / Math.max(1, content.texts.length)) ** 0.3, most * 0.4, most);

// ---- names of groups and sentences, placed where they cover the least

const meets = (one, other) => one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
/** @type {(box: Box, by: number) => Box} */
const grown = ([left, top, right, bottom], by) => [left - by, top - by, right + by, bottom + by];
const holds = ([left, top, right, bottom], [x, y]) => x > left && x < right && y > top && y < bottom;
const away = ([left, top, right, bottom], [x, y]) => Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
/** @type {(x: number, y: number, wide: number, high: number) => Box} */
const about = (x, y, wide, high) => [x - wide / 2, y - high / 2, x + wide / 2, y + high / 2];
const nearest = (box, points) => points.reduce((least, point) => Math.min(least, away(box, point)), Infinity);

/** Return whether a point lies within `far` of the line from one place to another. */
function beside([x, y], [fromX, fromY], [toX, toY], far) {
  const [right, down] = [toX - fromX, toY - fromY];
  const part = clamp(((x - fromX) * right + (y - fromY) * down) / (right ** 2 + down ** 2 || 1), 0, 1);
  return Math.hypot(x - fromX - part * right, y - fromY - part * down) < far;
}

/** Places of names and sentences at every layer of a picture of this size. */
export class Layout {
  constructor(content, width, height, look, row) {
    this.content = content;
    this.width = width;
    this.height = height;
    this.look = look;
    this.row = row;
    /** @type {Map<number, ReturnType<typeof linesOf>>} */ this.written = new Map();
    this.narrow = width < NARROW;
    this.onto = scaleOf(content, width, height, this.narrow ? 26 : 34);
    const share = MOST_PLACED / content.texts.length;
    this.rows = [...content.texts.keys()].filter((one) => ((one * 0.618034) % 1) < share);
    this.layers = content.points.map((_, layer) => ({
      points: this.rows.map((one) => this.onto(between(content.points, one, layer))),
      taken: Object.values(content.marks).map((mark) => about(...this.onto(markAt(mark, layer)), CROSS, CROSS)),
    }));
    this.placeNames();
    this.placeNotes();
  }

  /** Return the cost of a box: its part outside the picture, the points it covers, and the labels it covers. */
  cost(box, { points, taken }) {
    const [left, top, right, bottom] = box;
    const outside = Math.max(0, 2 - left) + Math.max(0, 2 - top) + Math.max(0, right - this.width + 2) + Math.max(0, bottom - this.height + 2);
    const near = grown(box, CLEAR);
    return outside * 40 + 12 * points.filter((point) => holds(near, point)).length + 300 * taken.filter((other) => meets(near, other)).length;
  }

  placeNames() {
    const { content } = this;
    const size = this.narrow ? 15 : 17;
    const named = [
      ...content.groups.map((text, code) => ({ text, code, size, weight: 600, own: [...this.rows.keys()].filter((place) => content.codes[this.rows[place]] === code) })),
      ...Object.entries(content.marks).map(([text, layers]) => ({ text, code: -1, size: 13, weight: 400, layers })),
    ];
    let before = null;
    for (const [layer, here] of [...this.layers.entries()].reverse()) {
      here.names = named.map((name, place) => {
        const own = name.layers ? [this.onto(markAt(name.layers, layer))] : name.own.map((at) => here.points[at]);
        if (!own.length) return { ...name, x: 0, y: -50 };
        const box = this.nameBox(name, own, here, before?.names[place]);
        here.taken.push(box);
        return { ...name, x: (box[0] + box[2]) / 2, y: (box[1] + box[3]) / 2 };
      });
      before = here;
    }
  }

  /** Return the best box for the name of a group: near the group, over no point, near its place at the next layer. */
  nameBox(name, own, here, next) {
    const [wide, high] = [widthOf(name.text, this.look, name.size, name.weight), name.size * 1.2];
    const [x, y] = [0, 1].map((axis) => own.reduce((sum, point) => sum + point[axis], 0) / own.length);
    const others = here.points.filter((point) => !own.includes(point));
    let [best, least] = [null, Infinity];
    for (let turn = 0; turn < 24; turn++) {
      const [right, down] = [Math.sin((turn * Math.PI) / 12), -Math.cos((turn * Math.PI) / 12)];
      const reaches = own.map((point) => (point[0] - x) * right + (point[1] - y) * down).sort((one, other) => one - other);
      for (const share of own.length > 4 ? [1, 0.9, 0.75] : [1]) {
        const far = reaches[Math.ceil(share * reaches.length) - 1] + 14 + (wide / 2) * Math.abs(right) + (high / 2) * Math.abs(down);
        const box = about(x + far * right, y + far * down, wide, high);
        const [mine, theirs] = [nearest(box, own), nearest(box, others)];
        const moved = next ? Math.hypot(next.x - x - far * right, next.y - y - far * down) : 0;
        const cost = this.cost(box, here) + mine * 0.3 + (theirs < mine ? 20 + mine - theirs : 0) + (down + 1) * 5 + (1 - share) * 60 + moved * 0.04;
        if (cost < least) [best, least] = [box, cost];
      }
    }
    return best;
  }

  /** Place the sentence of the chosen row near its point, else one example per group, the same at every layer. */
  placeNotes() {
    const { content } = this;
    for (const here of this.layers) here.notes = [];
    if (this.narrow) return;
    if (this.row >= 0) return this.put(this.row, true);
    if (content.groups.length < 2 || content.groups.length > 4 || content.texts.length > MOST_PLACED) return;
    for (const code of content.groups.keys()) {
      const lengthOf = (row) => content.texts[row].join("").length;
      const rows = this.rows.filter((row) => content.codes[row] === code && !LEFTWARD.test(content.texts[row].join("")));
      const tried = rows.sort((one, other) => lengthOf(one) - lengthOf(other)).slice(0, 10);
      const costs = tried.map((row) => this.layers.reduce((sum, here, layer) => sum + Math.min(60, this.note(row, layer, here).cost), 0));
      if (tried.length) this.put(tried[costs.indexOf(Math.min(...costs))], false);
    }
  }

  put(row, always) {
    for (const [layer, here] of this.layers.entries()) {
      const note = this.note(row, layer, here);
      if (!always && note.cost > 30) continue;
      here.notes.push(note);
      here.taken.push(note.box);
    }
  }

  note(row, layer, here) {
    if (!this.written.has(row)) this.written.set(row, linesOf(this.content.texts[row], this.look));
    const lines = this.written.get(row);
    const wide = Math.max(...lines.map((line) => line.wide));
    const high = lines.length * NOTE.line;
    const [x, y] = this.onto(between(this.content.points, row, layer));
    let best = { cost: Infinity };
    for (let turn = 0; turn < 16; turn++) {
      const [right, down] = [Math.sin((turn * Math.PI) / 8), -Math.cos((turn * Math.PI) / 8)];
      for (const far of [24, 36, 50, 75, 105]) {
        const box = about(x + right * (far + wide / 2), y + down * (far + high / 2), wide, high);
        /** @type {Point} */
        const end = [clamp(x, box[0], box[2]), clamp(y, box[1], box[3])];
        const crossed = here.points.filter((point) => Math.hypot(point[0] - x, point[1] - y) > 1 && beside(point, [x, y], end, 7)).length;
        const length = Math.hypot(end[0] - x, end[1] - y);
        const crowd = here.points.filter((point) => away(box, point) < 22).length;
        const misread = here.points.some((point) => away(box, point) < length && Math.hypot(point[0] - x, point[1] - y) > 1) ? 10 : 0;
        const cost = this.cost(box, here) + misread + crossed * 12 + crowd * 2 + Math.abs(length - 26) * 0.2 + (length < 14 ? 12 : 0);
        if (cost < best.cost) best = { cost, row, box, end, lines, align: right < -0.3 || LEFTWARD.test(lines[0].runs[0].text) ? "right" : "left" };
      }
    }
    return best;
  }
}

/** Break a text into lines of plain and bold runs, cut around its word. */
function linesOf([before, word, after], look) {
  const room = Math.max(12, NOTE.letters - word.length);
  const ahead = Math.max(room - after.length, Math.round(room * 0.6));
  const start = before.length > ahead ? `…${before.slice(before.indexOf(" ", before.length - ahead) + 1 || before.length - ahead)}` : before;
  const left = room - Math.min(start.length, room);
  const end = after.length > left ? `${after.slice(0, Math.max(after.lastIndexOf(" ", left), 0))}…` : after;
  const runs = LEFTWARD.test(before + word + after) ? [[start + word + end, false]] : [[start, false], [word, true], [end, false]];
  const pieceOf = (text, bold) => ({ text, bold, wide: widthOf(text, look, NOTE.size, bold ? 600 : 400) });
  const pieces = runs.flatMap(([text, bold]) => text.split(BREAKS).map((piece) => pieceOf(piece, bold)));
  const total = pieces.reduce((sum, piece) => sum + piece.wide, 0);
  const most = total / Math.ceil(total / NOTE.wide) + 16; // lines of about equal length
  const lines = [{ runs: [], wide: 0 }];
  for (const [place, piece] of pieces.entries()) {
    const begins = place > 0 && ENDS.test(pieces[place - 1].text);
    if (begins && lines.at(-1).wide + piece.wide - 3 > most) lines.push({ runs: [], wide: 0 });
    const line = lines.at(-1);
    line.runs.push({ ...piece, at: line.wide });
    line.wide += piece.wide;
  }
  for (const line of lines) {
    if (runs.length === 1) line.runs = [{ text: line.runs.map((run) => run.text).join(""), bold: false, at: 0 }]; // text from right to left is drawn as one run
    const last = line.runs.at(-1);
    line.wide = last.at + widthOf(last.text.trimEnd(), look, NOTE.size, last.bold ? 600 : 400);
  }
  return lines;
}

function drawNote(pen, layout, note, alpha) {
  const { look } = pen;
  const from = layout.onto(between(layout.content.points, note.row, note.layer));
  const chosen = note.row === layout.row;
  const away = Math.hypot(note.end[0] - from[0], note.end[1] - from[1]) || 1;
  const part = (chosen ? 11 : 7) / away;
  const start = from.map((at, axis) => at + (note.end[axis] - at) * part);
  const color = chosen ? look.ink : look.muted;
  pen.line([start, note.end], { stroke: color, width: 1, alpha });
  note.lines.forEach((line, place) => {
    const left = note.align === "right" ? note.box[2] - line.wide : note.box[0];
    const y = note.box[1] + (place + 0.5) * NOTE.line;
    for (const { text, bold, at } of line.runs) pen.text(left + at, y, text, { size: NOTE.size, weight: bold ? 600 : 400, color, alpha });
  });
}

/** Draw the picture at a fractional layer: names move, sentences appear only close to a layer. */
export function drawScene(pen, layout, at, size) {
  const { content } = layout;
  const rest = Math.round(at);
  const alpha = clamp(1 - 6 * Math.abs(at - rest), 0, 1);
  if (alpha) for (const note of layout.layers[rest].notes) drawNote(pen, layout, { ...note, layer: rest }, alpha);
  drawPoints(pen, content, at, layout.onto, size);
  const [low, high] = [layout.layers[Math.floor(at)].names, layout.layers[Math.ceil(at)].names];
  const part = at - Math.floor(at);
  low.forEach((name, place) => {
    const [x, y] = [name.x + (high[place].x - name.x) * part, name.y + (high[place].y - name.y) * part];
    const color = name.code < 0 ? pen.look.ink : pen.look.labels[name.code % pen.look.labels.length];
    pen.text(x, y, name.text, { size: name.size, weight: name.weight, color, align: "center" });
  });
}

export function drawRing(pen, layout, row, at, size) {
  const [x, y] = layout.onto(between(layout.content.points, row, at));
  pen.disc(x, y, size + 4, { stroke: pen.look.ink, width: 2 });
}
