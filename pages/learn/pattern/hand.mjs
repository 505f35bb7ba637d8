/**
 * Arrows in a plane that are dragged by mouse, touch or keyboard; the formulas below them follow live.
 *
 * `data`: {key, arrows: [{name, label, at, home, fixed, turns, color}], readings, marks, height, fit, rate}.
 * Trigger: `moved` is {name: place} of all arrows, sent when one is released. Labels are untrusted: text nodes only.
 */
import { drawn, element } from "../../../embedviz/figures/web/elements.mjs";
import { answerDrawing, mounting } from "../../../embedviz/figures/web/mounting.mjs";
import { READINGS, tripletLoss } from "./readings.mjs";
import { foot, inBox, minus, plus, reachOf, scaled, stepped, turned, unit, windowAround, windowOn, within } from "./vectors.mjs";

/** @typedef {import("./vectors.mjs").Vector} Vector */

const STEPS = 40; // key presses from the middle to the edge
const PAUSE = 400; // ms after a key before Python is notified
const LETTER = 8.5; // px, about the width of a letter
const TARGET = 22; // px around a tip in which it can be grabbed
const HEAD = 11; // px of an arrow head
const ANGLE = 34; // px, radius of the arc

const hands = (/** @type {any} */ (globalThis).embedvizHands ??= new Map()); // key -> hand, which `steps.mjs` moves

const handIn = mounting(".hand", (parent) => new Hand(parent));

/** @param {{data: any, parentElement: any, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function hand({ data, parentElement, setTriggerValue }) {
  const one = handIn(parentElement, data);
  hands.set(data.key, one);
  one.update(data, setTriggerValue);
  /** @type {any} */ (globalThis).embedvizSteps?.get(data.key)?.soon(); // a slider may be ahead of Python
  return () => setTimeout(() => one.root.isConnected || one.end());
}

/**
 * Marks by name: functions that return the SVG elements of a mark for the first two or three vectors.
 * @type {Record<string, (hand: Hand, a: Vector, b: Vector, c?: Vector) => Element[]>}
 */
const MARKS = {
  angle: (hand, a, b) => {
    const [u, v] = [unit(a), unit(b)];
    if (!u || !v) return [];
    const arc = ANGLE / hand.window.scale;
    const [from, to] = [hand.at(scaled(u, arc)), hand.at(scaled(v, arc))];
    const sweep = u[0] * v[1] - u[1] * v[0] > 0 ? 0 : 1;
    return [drawn("path", { class: "mark full", d: `M${from} A${ANGLE} ${ANGLE} 0 0 ${sweep} ${to}` })];
  },
  sum: (hand, a, b) => [hand.line(a, plus(a, b)), hand.line(b, plus(a, b)), hand.line([0, 0], plus(a, b), "mark full"), hand.note(plus(a, b), "sum")],
  difference: (hand, a, b) => [hand.line(b, a), hand.note(scaled(plus(a, b), 0.5), "distance |a − b|")],
  projection: (hand, a, b) => (foot(a, b) ? [hand.line(b, foot(a, b)), hand.note(foot(a, b), "foot")] : []),
  triplet: (hand, a, p, n) => {
    if (!n) return [];
    const lines = [hand.line(a, p, "mark full"), hand.line(a, n)];
    const [cx, cy] = hand.at(plus(p, scaled(minus(a, p), 2 * hand.data.rate))); // p − η · 2 (p − a)
    return tripletLoss(a, p, n) > 0 ? [...lines, drawn("circle", { class: "mark full", cx, cy, r: 5 })] : lines;
  },
  unit: (hand, a, b) => {
    const [u, v] = [unit(a), unit(b)];
    const circle = drawn("circle", { class: "mark", cx: hand.at([0, 0])[0], cy: hand.at([0, 0])[1], r: hand.window.scale });
    return u && v ? [circle, hand.line(u, v, "mark full"), hand.note(scaled(plus(u, v), 0.5), "d")] : [circle];
  },
};

class Hand {
  constructor(parent) {
    this.svg = drawn("svg", { class: "plane" });
    this.back = element("button", { type: "button" }, "Put back");
    this.hint = element("p", { class: "hint" }, "Drag a tip, or choose it with Tab and use the arrow keys.");
    this.lines = element("ul", { class: "readings", "aria-label": "Formulas with the numbers of this moment" });
    this.spoken = element("span", { class: "spoken", role: "status", "aria-live": "polite" });
    this.root = element("div", { class: "hand" }, element("div", { class: "picture" }, this.svg, this.hint, this.back), this.lines, this.spoken);
    parent.append(this.root);
    this.data = { key: "", arrows: [], readings: [], marks: [], height: 400, fit: false, rate: 0 };
    /** @type {Vector[]} */
    this.places = [];
    this.held = -1;
    this.timer = 0;
    this.given = "";
    this.tell = (name, value) => {};
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.root); // the lecture view changes its width; an SVG would not report that
    this.silence = answerDrawing(() => this.data.key, () => /** @type {SVGElement} */ (this.svg.cloneNode(true)));
    this.back.addEventListener("click", () => this.home());
  }

  end() {
    clearTimeout(this.timer);
    this.watch.disconnect();
    this.silence();
    if (hands.get(this.data.key) === this) hands.delete(this.data.key);
  }

  /** Take the data from Python, but keep the places while an arrow is held or if Python only repeats what was sent. */
  update(data, tell) {
    this.tell = tell;
    const given = JSON.stringify(data);
    if (given === this.given) return;
    this.given = given;
    const same = data.arrows.length === this.data.arrows.length && data.arrows.every((one, k) => `${one.home}` === `${this.data.arrows[k].home}`);
    const [was, known] = [this.data.arrows, same ? this.places : []];
    this.data = data;
    const busy = this.held >= 0 || this.timer > 0;
    this.places = data.arrows.map((one, k) => (busy || (known[k] && `${one.at}` === `${was[k].at}`) ? (known[k] ?? one.at) : one.at));
    this.draw();
  }

  /** Show other arrows while a slider moves. */
  follow(arrows) {
    this.update({ ...this.data, arrows }, this.tell);
  }

  /** Width of the picture in its own pixels, which the lecture view enlarges. */
  get width() {
    return this.svg.parentElement.clientWidth;
  }

  /** @param {Vector} at */
  at(at) {
    return this.window.toScreen(at);
  }

  /** @param {Vector} from @param {Vector} to */
  line(from, to, look = "mark") {
    const [[x1, y1], [x2, y2]] = [this.at(from), this.at(to)];
    return drawn("line", { class: look, x1, y1, x2, y2 });
  }

  /** @param {Vector} at @param {string} text */
  note(at, text) {
    const [x, y] = this.at(at);
    return drawn("text", { class: "note", x: x + 8, y: y - 8 }, text);
  }

  draw() {
    const width = this.width;
    if (!width || !this.data.arrows.length) return;
    const { height, arrows, marks } = this.data;
    const homes = arrows.map((one) => one.home);
    this.hint.hidden = arrows.every((one) => one.fixed);
    this.reach = reachOf(marks.includes("sum") && homes.length > 1 ? [...homes, plus(homes[0], homes[1])] : homes);
    this.window = this.data.fit ? this.around(width, height, homes) : windowOn(width, height, this.reach);
    this.svg.setAttribute("height", String(height));
    const focus = this.tips?.findIndex((tip) => tip.matches(":focus"));
    const drawing = `${width} ${this.given}`; // the axes lie in the middle of this width
    if (this.tips?.length !== arrows.length || this.drawing !== drawing) this.build();
    this.drawing = drawing;
    this.move();
    if (focus >= 0) this.tips[focus]?.focus();
  }

  /** Return a window that the arrows fill at home; a wider one if an arrow was moved out of it. */
  around(width, height, homes) {
    const window = windowAround(width, height, homes);
    const inside = this.places.every((place) => `${inBox(window.toScreen(place), width, height)}` === `${window.toScreen(place)}`);
    return inside ? window : windowAround(width, height, [...homes, ...this.places]);
  }

  /** Create the elements; `move` places them. */
  build() {
    const [[x, y]] = [this.at([0, 0])];
    const [width, height] = [this.width, this.data.height];
    const axes = [drawn("line", { class: "axis", x1: 0, y1: y, x2: width, y2: y }), drawn("line", { class: "axis", x1: x, y1: 0, x2: x, y2: height })];
    this.marked = drawn("g", { "aria-hidden": "true" });
    this.shafts = this.data.arrows.map((one) => drawn("path", { class: "arrow", stroke: one.color }));
    this.tips = this.data.arrows.map((one, k) => this.tip(one, k));
    this.svg.replaceChildren(...axes, this.marked, ...this.shafts, ...this.tips);
  }

  /** Return the tip of an arrow; it can be dragged unless the arrow is fixed. */
  tip(arrow, k) {
    const label = drawn("text", { class: "name", fill: arrow.color });
    const grip = drawn("circle", { class: "grip", r: arrow.fixed ? 3 : 7, stroke: arrow.color });
    const about = arrow.fixed ? { role: "img" } : { role: "button", tabindex: 0, "aria-roledescription": "vector, moved by the arrow keys" };
    const tip = drawn("g", { class: arrow.fixed ? "tip fixed" : "tip", ...about, "data-name": arrow.name }, drawn("circle", { class: "target", r: TARGET }), grip, label);
    if (arrow.fixed) return tip;
    tip.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      tip.setPointerCapture(event.pointerId);
      this.held = k;
      tip.focus();
      event.preventDefault();
    });
    tip.addEventListener("pointermove", (event) => {
      if (this.held !== k) return;
      const box = this.svg.getBoundingClientRect();
      const zoom = box.width / this.width || 1; // zoom of the lecture view
      this.put(k, this.window.fromScreen([(event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom]));
    });
    for (const name of ["pointerup", "pointercancel"]) tip.addEventListener(name, () => this.held === k && this.letGo());
    tip.addEventListener("keydown", (event) => {
      const to = stepped(this.places[k], event.key, (this.reach / STEPS) * (event.shiftKey ? 4 : 1), arrow.turns);
      if (!to) return;
      event.preventDefault();
      this.put(k, to);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.letGo(), PAUSE);
    });
    return tip;
  }

  /** @param {number} k @param {Vector} to */
  put(k, to) {
    const free = this.data.fit ? this.window.fromScreen(inBox(this.at(to), this.width, this.data.height)) : within(to, this.reach);
    this.places[k] = this.data.arrows[k].turns ? turned(to, this.places[k]) : free;
    this.move();
  }

  home() {
    this.places = this.data.arrows.map((one) => one.home);
    this.move();
    this.letGo();
  }

  letGo() {
    this.held = -1;
    clearTimeout(this.timer);
    this.timer = 0;
    this.spoken.textContent = [...this.lines.children].map((line) => line.textContent).join(". ");
    this.tell("moved", Object.fromEntries(this.data.arrows.map((one, k) => [one.name, this.places[k]])));
  }

  /** Place everything where the vectors are now, and write the formulas. */
  move() {
    const { arrows, marks, readings } = this.data;
    const [ox, oy] = this.at([0, 0]);
    let away = false;
    arrows.forEach((one, k) => {
      const [x, y] = this.at(this.places[k]);
      const moved = Math.hypot(...minus(this.places[k], one.home)) > this.reach / 500;
      away ||= moved;
      const [dx, dy] = unit([x - ox, y - oy]) ?? [0, 0];
      const wing = (side) => `${x - HEAD * dx + (side * HEAD * dy) / 2} ${y - HEAD * dy - (side * HEAD * dx) / 2}`;
      const [sx, sy] = one.fixed ? [x, y] : [x - 7 * dx, y - 7 * dy];
      this.shafts[k].setAttribute("d", `M${ox} ${oy}L${sx} ${sy}${one.fixed ? `M${wing(1)}L${x} ${y}L${wing(-1)}` : ""}`);
      this.tips[k].setAttribute("transform", `translate(${x} ${y})`);
      const shown = one.label && !moved ? `${one.name}: ${one.label}` : one.name;
      const text = this.tips[k].lastElementChild;
      text.textContent = shown;
      const turns = this.data.fit ? this.width * 0.6 : ox + this.reach * this.window.scale * 0.35;
      const left = marks.includes("triplet") ? x + 14 + LETTER * shown.length > this.width : x > turns; // its lines lie left
      text.setAttribute("text-anchor", left ? "end" : "start");
      text.setAttribute("x", left ? "-12" : "14");
      text.setAttribute("y", dy > 0.3 ? "24" : "-14");
      this.tips[k].setAttribute("aria-label", `${shown}: ${this.places[k].map((value) => value.toFixed(2)).join(", ")}`);
    });
    this.back.hidden = !away;
    this.root.dataset.moved = String(away);
    const [a, b, c] = arrows.map((one, k) => ({ name: one.name, at: this.places[k] }));
    this.marked.replaceChildren(...(b ? marks.flatMap((name) => MARKS[name](this, a.at, b.at, c?.at)) : []));
    const written = b ? readings.map((name) => READINGS[name](a, b, c)) : [];
    if (this.lines.children.length !== written.length) this.lines.replaceChildren(...written.map(() => element("li")));
    written.forEach((text, k) => (this.lines.children[k].textContent = text));
  }
}
