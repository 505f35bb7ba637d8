/**
 * A slider that Python hears of while it is dragged: one message at a time, the newest place next.
 *
 * `data`: {label, place, texts, live}. Trigger: `moved`, {place, held}: `held` while the slider is in the hand, where it
 * is `live`.
 */
import { element } from "../../../embedviz/figures/web/elements.mjs";
import { mounting } from "../../../embedviz/figures/web/mounting.mjs";

const PATIENCE = 1500; // ms after which an answer is no longer waited for

const sliderIn = mounting(".slider", (parent) => new Slider(parent));

/** @param {{data: {label: string, place: number, texts: string[], live: boolean}, parentElement: any, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function slider({ data, parentElement, setTriggerValue }) {
  sliderIn(parentElement, data).update(data, setTriggerValue);
}

class Slider {
  constructor(parent) {
    this.input = /** @type {HTMLInputElement} */ (element("input", { type: "range", min: "0", step: "1" }));
    this.name = element("span");
    this.text = element("b");
    parent.append(element("label", { class: "slider" }, element("span", { class: "line" }, this.name, this.text), this.input));
    /** @type {string[]} */
    this.texts = [];
    this.held = this.live = false;
    this.waits = 0; // until when an answer is waited for
    /** @type {{place: number, held: boolean} | null} */
    this.next = null;
    this.tell = (name, value) => {};
    this.input.addEventListener("pointerdown", () => (this.held = true));
    this.input.addEventListener("input", () => this.moved());
    this.input.addEventListener("change", () => this.letGo());
    for (const name of ["pointerup", "pointercancel"]) this.input.addEventListener(name, () => (this.held = false));
  }

  update(data, tell) {
    this.tell = tell;
    this.texts = data.texts;
    this.live = data.live;
    this.name.textContent = data.label;
    this.input.max = String(data.texts.length - 1);
    this.waits = 0;
    if (this.next) this.send(this.next);
    else if (!this.held) this.input.value = String(data.place);
    this.write();
  }

  write() {
    const text = this.texts[Number(this.input.value)] ?? "";
    this.text.textContent = text;
    this.input.setAttribute("aria-valuetext", text);
  }

  /** Follow the hand; a key sends `change` too, which tells Python. */
  moved() {
    this.write();
    if (this.held && this.live) this.send({ place: Number(this.input.value), held: true });
  }

  letGo() {
    this.held = false;
    this.send({ place: Number(this.input.value), held: false });
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
