/**
 * A slider that notifies Python while it is dragged: one message at a time, then the newest place. If `steps.mjs` knows
 * the figure of a place, the figure changes immediately, and Python is notified when the slider rests.
 *
 * Each move has a higher number than every earlier move. A message holds all moves that Python has not answered,
 * of all sliders on the page: messages may be joined, or arrive with an address that lacks an earlier move.
 *
 * `data`: {name, label, place, answered, texts, live, buttons}. `answered` is the number of the last move that `place`
 * contains: an older place does not undo later moves. `buttons` are [name, places to move by]; they replace the slider.
 * Trigger: `moved` is {place, number, held, others}. `held`: the slider is still held (only if it is `live`). `others`:
 * place and number of each other slider with an unanswered move.
 */
import { element } from "../../../embedviz/figures/web/elements.mjs";
import { mounting } from "../../../embedviz/figures/web/mounting.mjs";

const PATIENCE = 1500; // ms to wait for an answer
const REST = 400; // ms without a move after which the slider rests

/** @type {Map<string, [number, number]>} name -> place and number of the last move that Python has not answered */
const unanswered = (/** @type {any} */ (globalThis).embedvizUnanswered ??= new Map());
let last = 0;
/** Return a number for a move, higher than all before it, even those before this script was loaded. */
const later = () => (last = Math.max(last + 1, Date.now()));

const sliderIn = mounting(".slider", (parent) => new Slider(parent));

/** @param {{data: {name: string, label: string, place: number, answered: number, texts: string[], live: boolean, buttons: [string, number][]}, parentElement: any, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function slider({ data, parentElement, setTriggerValue }) {
  const one = sliderIn(parentElement, data);
  one.update(data, setTriggerValue);
  return () => setTimeout(() => one.row.isConnected || one.end());
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
    this.timer = 0; // timer until the slider rests
    this.number = 0; // number of the last move; 0 once it is answered
    this.sent = 0; // the number of the last message
    this.waits = 0; // time until which its answer is waited for
    this.due = false; // whether a place of the held slider waits for that answer
    this.again = 0; // timer until a message without an answer is sent again
    this.patience = PATIENCE;
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
    if (data.answered >= this.sent) this.waits = 0;
    const heard = data.answered >= this.number;
    if (heard) this.forget();
    if (this.due) this.send(true);
    else if (heard && !this.held && !this.timer) {
      this.input.value = String(data.place);
      this.steps?.move(this.name, data.place);
    }
    this.write();
  }

  /** Forget the last move: it is answered, or the slider has left the page. */
  forget() {
    if (unanswered.get(this.name)?.[1] === this.number) unanswered.delete(this.name);
    this.number = 0;
    clearTimeout(this.again);
    this.patience = PATIENCE;
  }

  end() {
    clearTimeout(this.timer);
    this.forget();
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

  /** Return the place to which a button moves. @param {number} by */
  moving(by) {
    return Math.min(this.texts.length - 1, Math.max(0, Number(this.input.value) + by));
  }

  /** The figure that follows this slider in the browser; undefined if none does. */
  get steps() {
    return [...(/** @type {any} */ (globalThis).embedvizSteps?.values() ?? [])].find((one) => this.name in one.places);
  }

  write() {
    const text = this.texts[Number(this.input.value)] ?? "";
    this.text.textContent = text;
    this.input.setAttribute("aria-valuetext", text);
    for (const { button, by } of this.buttons) button.disabled = this.moving(by) === Number(this.input.value);
  }

  /** Give the current move a number; return its place. */
  note() {
    const place = Number(this.input.value);
    this.number = later();
    unanswered.set(this.name, [place, this.number]);
    return place;
  }

  /** Handle a move. A key sends `change` too, which notifies Python. */
  moved() {
    this.write();
    const place = this.note();
    this.quick = this.steps?.move(this.name, place) === true;
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.quick) this.timer = setTimeout(() => this.rest(), REST);
    else if (this.held && this.live) this.send(true);
  }

  /** Notify Python now if a drag ends or the figure waits for it; after keys, once they rest. */
  letGo() {
    const dragged = this.dragged;
    this.held = this.dragged = false;
    if (this.quick && !dragged) return;
    this.rest();
  }

  rest() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.note(); // a new number, also for a place that was sent while held
    this.send(this.held);
  }

  /** Send the newest place: while held, once the last message is answered; else now, and again until answered. */
  send(held) {
    this.due = held && performance.now() < this.waits;
    if (this.due) return;
    clearTimeout(this.again);
    this.sent = this.number;
    this.waits = performance.now() + PATIENCE;
    const others = Object.fromEntries([...unanswered].filter(([name]) => name !== this.name));
    this.tell("moved", { place: Number(this.input.value), number: this.number, held, others });
    if (!held) this.again = setTimeout(() => this.timer || this.held || this.send(false), (this.patience *= 2));
  }
}
