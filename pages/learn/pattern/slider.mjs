/**
 * A slider that Python hears of while it is dragged: one message at a time, the newest place next. Where `steps.mjs`
 * knows the figure of a place, that is shown at once, and Python hears of the place when the hand rests.
 *
 * `data`: {name, label, place, texts, live}. Trigger: `moved`, {place, held}: `held` while the slider is in the hand, where it
 * is `live`.
 */
import { element } from "../../../embedviz/figures/web/elements.mjs";
import { mounting } from "../../../embedviz/figures/web/mounting.mjs";

const PATIENCE = 1500; // ms after which an answer is no longer waited for
const REST = 400; // ms without a move after which the hand rests

const sliderIn = mounting(".slider", (parent) => new Slider(parent));

/** @param {{data: {name: string, label: string, place: number, texts: string[], live: boolean}, parentElement: any, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function slider({ data, parentElement, setTriggerValue }) {
  sliderIn(parentElement, data).update(data, setTriggerValue);
}

class Slider {
  constructor(parent) {
    this.input = /** @type {HTMLInputElement} */ (element("input", { type: "range", min: "0", step: "1" }));
    this.label = element("span");
    this.text = element("b");
    parent.append(element("label", { class: "slider" }, element("span", { class: "line" }, this.label, this.text), this.input));
    /** @type {string[]} */
    this.texts = [];
    this.name = "";
    this.quick = false; // whether the figure followed the last move
    this.held = this.dragged = this.live = false;
    this.timer = 0; // until the hand rests
    /** @type {number[]} places that Python has not answered yet, where the figure does not wait for it */
    this.sent = [];
    this.waits = 0; // until when an answer is waited for
    /** @type {{place: number, held: boolean} | null} */
    this.next = null;
    this.tell = (name, value) => {};
    this.input.addEventListener("pointerdown", () => (this.held = this.dragged = true));
    this.input.addEventListener("input", () => this.moved());
    this.input.addEventListener("change", () => this.letGo());
    for (const name of ["pointerup", "pointercancel"]) this.input.addEventListener(name, () => (this.held = false));
  }

  update(data, tell) {
    this.tell = tell;
    this.texts = data.texts;
    this.live = data.live;
    this.name = data.name;
    this.label.textContent = data.label;
    this.input.max = String(data.texts.length - 1);
    const late = performance.now() > this.waits;
    const echo = this.sent.indexOf(data.place);
    this.sent = late || echo < 0 ? (late ? [] : this.sent) : this.sent.slice(echo + 1);
    this.waits = this.sent.length ? this.waits : 0;
    if (this.next) this.send(this.next);
    else if (!this.held && !this.timer && !this.sent.length) {
      this.input.value = String(data.place);
      this.steps?.move(this.name, data.place);
    }
    this.write();
  }

  /** The figure that follows this slider in the browser, if one does. */
  get steps() {
    return [...(/** @type {any} */ (globalThis).embedvizSteps?.values() ?? [])].find((one) => this.name in one.places);
  }

  write() {
    const text = this.texts[Number(this.input.value)] ?? "";
    this.text.textContent = text;
    this.input.setAttribute("aria-valuetext", text);
  }

  /** Follow the hand; a key sends `change` too, which tells Python. */
  moved() {
    this.write();
    const place = Number(this.input.value);
    this.quick = this.steps?.move(this.name, place) === true;
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.quick) this.timer = setTimeout(() => this.rest(), REST);
    else if (this.held && this.live) this.send({ place, held: true });
  }

  /** Python hears of the place at once when a drag ends, or where the figure waits for it; else when the keys rest. */
  letGo() {
    const dragged = this.dragged;
    this.held = this.dragged = false;
    if (this.quick && !dragged) return;
    this.rest();
  }

  rest() {
    clearTimeout(this.timer);
    this.timer = 0;
    const place = Number(this.input.value);
    if (this.quick) this.sent.push(place);
    this.send({ place, held: this.held });
  }

  /** @param {{place: number, held: boolean}} message */
  send(message) {
    this.next = null;
    if (message.held && performance.now() < this.waits) this.next = message;
    else {
      this.waits = performance.now() + PATIENCE;
      this.tell("moved", message);
    }
  }
}
