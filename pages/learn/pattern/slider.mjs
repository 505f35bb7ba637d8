/**
 * A slider that Python hears of while it is dragged: one message at a time, the newest place next. Where `steps.mjs`
 * knows the figure of a place, that is shown at once, and Python hears of the place when the hand rests.
 *
 * `data`: {name, label, place, texts, live, buttons}; `buttons`, [name, places by which it moves], stand in place of the slider. Trigger: `moved`, {place, held, others}: `held` while the slider is in the hand, where
 * it is `live`; `others`: places of the figure's other sliders that Python may not have heard of.
 */
import { element } from "../../../embedviz/figures/web/elements.mjs";
import { mounting } from "../../../embedviz/figures/web/mounting.mjs";

const PATIENCE = 1500; // ms after which an answer is no longer waited for
const REST = 400; // ms without a move after which the hand rests

const sliderIn = mounting(".slider", (parent) => new Slider(parent));

/** @param {{data: {name: string, label: string, place: number, texts: string[], live: boolean, buttons: [string, number][]}, parentElement: any, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function slider({ data, parentElement, setTriggerValue }) {
  sliderIn(parentElement, data).update(data, setTriggerValue);
}

class Slider {
  constructor(parent) {
    this.input = /** @type {HTMLInputElement} */ (element("input", { type: "range", min: "0", step: "1" }));
    this.label = element("span");
    this.text = element("b");
    this.whole = element("label", { class: "slider" }, element("span", { class: "line" }, this.label, this.text), this.input);
    this.row = element("div", { class: "slider buttons", role: "group" });
    /** @type {{button: HTMLButtonElement, by: number}[]} */
    this.buttons = [];
    parent.append(this.whole, this.row);
    /** @type {string[]} */
    this.texts = [];
    this.name = "";
    this.quick = false; // whether the figure followed the last move
    this.held = this.dragged = this.live = false;
    this.timer = 0; // until the hand rests
    /** @type {number[]} places that Python has not answered yet: an answer to another control does not put them back */
    this.sent = [];
    this.waits = 0; // until when an answer is waited for
    /** @type {{place: number, held: boolean, others?: Record<string, number>} | null} */
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
    this.whole.hidden = data.buttons.length > 0;
    this.row.setAttribute("aria-label", data.label);
    if (this.buttons.length !== data.buttons.length) this.build(data.buttons);
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

  build(buttons) {
    this.buttons = buttons.map(([name, by]) => {
      const button = /** @type {HTMLButtonElement} */ (element("button", { type: "button" }, name));
      button.addEventListener("click", () => {
        this.input.value = String(this.moving(by));
        this.moved();
        this.letGo();
      });
      return { button, by };
    });
    this.row.replaceChildren(...this.buttons.map((one) => one.button));
  }

  /** Where a button moves to. @param {number} by */
  moving(by) {
    return Math.min(this.texts.length - 1, Math.max(0, Number(this.input.value) + by));
  }

  /** The figure that follows this slider in the browser, if one does. */
  get steps() {
    return [...(/** @type {any} */ (globalThis).embedvizSteps?.values() ?? [])].find((one) => this.name in one.places);
  }

  write() {
    const text = this.texts[Number(this.input.value)] ?? "";
    this.text.textContent = text;
    this.input.setAttribute("aria-valuetext", text);
    for (const { button, by } of this.buttons) button.disabled = this.moving(by) === Number(this.input.value);
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
    this.sent.push(place);
    this.send({ place, held: this.held, others: this.steps?.behind(this.name) });
  }

  /** @param {{place: number, held: boolean, others?: Record<string, number>}} message */
  send(message) {
    this.next = null;
    if (message.held && performance.now() < this.waits) this.next = message;
    else {
      this.waits = performance.now() + PATIENCE;
      this.tell("moved", message);
    }
  }
}
