/** The legend under a map: its classes as buttons that show one alone or hide it, and a search for classes to color. */

import { drawn, element } from "../web/elements.mjs";
import { rgb } from "../web/colors.mjs";
import { classesLike, countShown } from "./facets.mjs";
import { labelOf } from "./filter.mjs";
import { colorOf } from "./palette.mjs";

const MOST_OFFERED = 60;
const HELP = "Click a class to see it alone, × to hide it. With the keyboard: Enter shows it alone, Delete hides it.";

const STYLE = `
.classes { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 6px; padding: 6px 0 2px; font: 400 14px/1.3 var(--st-font), sans-serif; color: var(--st-text-color); }
.classes[hidden], .classes [hidden] { display: none; }
.classes .entry { display: inline-flex; max-width: 100%; border: 1px solid var(--st-border-color); border-radius: 999px; }
.classes .entry:hover { border-color: currentColor; }
.classes button { all: unset; box-sizing: border-box; display: inline-flex; align-items: center; gap: 6px; min-width: 0; height: 30px; padding: 0 4px 0 10px; cursor: pointer; }
.classes button:focus-visible, .classes input:focus-visible { outline: 2px solid var(--st-text-color); outline-offset: 1px; border-radius: 999px; }
.classes .only span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 22ch; }
.classes .count { color: var(--st-gray-color, currentColor); font-size: 13px; font-variant-numeric: tabular-nums; }
.classes svg { flex: none; width: 12px; height: 12px; }
.classes .hide { padding: 0 10px 0 4px; font-size: 15px; }
.classes .entry.gone .only span { text-decoration: line-through; }
.classes .entry.gone svg { opacity: .35; }
.classes .all { padding: 0 12px; border: 1px solid var(--st-border-color); border-radius: 6px; }
.classes .all:hover { border-color: currentColor; }
.classes input { box-sizing: border-box; width: 190px; height: 32px; padding: 0 12px; font: inherit; color: inherit; background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color); border-radius: 6px; }
.classes .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 640px), (pointer: coarse) { .classes button, .classes input { height: 40px; } .classes .hide { min-width: 34px; } .classes input { font-size: 16px; } }
`;

/** The legend; a part of the filter. */
export class ClassList {
  /** @param {HTMLElement | ShadowRoot} parent @param {import("./filter.mjs").Filter} filter */
  constructor(parent, filter) {
    this.filter = filter;
    this.seen = "";
    this.root = element("div", { class: "classes", role: "group", "aria-label": "Classes of the map", hidden: "" });
    this.style = element("style", {}, STYLE);
    this.list = element("datalist", { id: "class-names" });
    this.input = element("input", { type: "search", list: "class-names", placeholder: "Color a class", "aria-label": "Color a class, or no longer: type its name", autocomplete: "off", spellcheck: "false" });
    this.usual = element("button", { type: "button", class: "all", hidden: "" }, "Largest classes");
    this.all = element("button", { type: "button", class: "all", hidden: "" }, "Show all");
    this.help = element("span", { class: "unseen", id: "class-help" }, HELP);
    this.entries = element("span", { style: "display: contents" });
    this.count = element("span", { class: "count" });
    this.root.append(this.entries, this.count, this.all, this.input, this.usual, this.list, this.help);
    parent.append(this.style, this.root);
    this.all.addEventListener("click", () => filter.showAll());
    this.usual.addEventListener("click", () => filter.largest());
    this.input.addEventListener("input", (event) => this.type(/** @type {InputEvent} */ (event)));
    this.input.addEventListener("keydown", (event) => event.key === "Enter" && this.enter());
    this.root.addEventListener("keydown", (event) => this.key(event));
    filter.parts.push(this);
  }

  /** Offer classes while a name is typed; color a class that is picked from the list. @param {InputEvent} event */
  type(event) {
    const { classes } = this.filter.facets ?? {};
    if (!classes) return;
    const text = this.input.value;
    if ((event.inputType === "insertReplacementText" || !event.inputType) && classes.names.includes(text)) {
      this.enter();
      return;
    }
    this.offer();
  }

  offer() {
    const { classes } = this.filter.facets ?? {};
    const colored = this.filter.view.state.paint?.labels ?? [];
    const option = (name) => {
      const count = classes.counts[classes.names.indexOf(name)].toLocaleString("en-US");
      return element("option", { value: name }, `${count}${colored.includes(name) ? " · in color" : ""}`);
    };
    this.list.replaceChildren(...classesLike(classes, this.input.value, MOST_OFFERED).map(option));
  }

  enter() {
    const { classes } = this.filter.facets ?? {};
    const text = this.input.value.trim();
    if (!classes || !text) return;
    const [best] = classes.names.includes(text) ? [text] : classesLike(classes, text, 1);
    if (best === undefined) {
      this.filter.view.speak(`No class is called ${text}.`);
      this.input.setAttribute("aria-invalid", "true");
      return;
    }
    this.input.removeAttribute("aria-invalid");
    this.input.value = "";
    this.filter.color(best);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const entry = /** @type {HTMLElement} */ (event.target).closest?.(".entry");
    if (!entry || event.altKey || event.ctrlKey || event.metaKey) return;
    const entries = /** @type {HTMLElement[]} */ ([...this.entries.children]);
    const at = entries.indexOf(/** @type {HTMLElement} */ (entry));
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[event.key];
    if (to !== undefined) this.focus((to + entries.length) % entries.length);
    else if (event.key === "Delete" || event.key === "Backspace" || event.key === "h") this.filter.hide(/** @type {HTMLElement} */ (entry).dataset.name);
    else return;
    event.preventDefault();
  }

  /** @param {number} place */
  focus(place) {
    /** @type {HTMLElement | null} */ (this.entries.children[place]?.querySelector(".only"))?.focus();
  }

  draw() {
    const { filter } = this;
    const { view, classes, hidden, facets } = filter;
    const search = facets?.classes && view.state.paint?.kind === "category" && facets.classes.names.length > 2 ? facets.classes : null;
    const what = JSON.stringify([classes, [...hidden], view.look.name, search?.names.length, filter.chosen, view.state.paint?.labels.length, filter.range]);
    if (what === this.seen) return;
    this.seen = what;
    const active = /** @type {ShadowRoot | Document} */ (this.root.getRootNode()).activeElement?.closest?.(".entry");
    const focused = active ? [...this.entries.children].indexOf(active) : -1;
    this.entries.replaceChildren(...classes.map((one) => this.entry(one)));
    this.root.hidden = !classes.length;
    this.all.hidden = !hidden.size && !filter.range;
    this.input.hidden = !search;
    this.usual.hidden = !search || !filter.chosen.length;
    if (search) {
      this.input.placeholder = `Color a class (${search.names.length.toLocaleString("en-US")})`;
      this.offer();
    }
    const { state } = view;
    this.count.textContent = this.all.hidden ? "" : `${countShown(state.weights, state.geometry.count).toLocaleString("en-US")} of ${state.geometry.count.toLocaleString("en-US")}`;
    if (focused >= 0) this.focus(Math.min(focused, classes.length - 1));
  }

  /** @param {{name: string, code: number, count: number}} one */
  entry({ name, code, count }) {
    const { filter } = this;
    const gone = filter.hidden.has(name);
    const text = labelOf(name);
    const points = `${count.toLocaleString("en-US")} ${count === 1 ? "point" : "points"}`;
    const only = element(
      "button",
      { type: "button", class: "only", "aria-pressed": String(!gone), "aria-label": `${text}, ${points}, ${gone ? "hidden" : "shown"}`, "aria-describedby": "class-help", title: gone ? `Show ${text} again` : `Show ${text} alone, or all again` },
      this.swatch(code),
      element("span", {}, text),
      element("span", { class: "count" }, count.toLocaleString("en-US")),
    );
    only.addEventListener("click", () => filter.only(name));
    const hide = element("button", { type: "button", class: "hide", tabindex: "-1", "aria-label": gone ? `Show ${text}` : `Hide ${text}`, title: gone ? `Show ${text}` : `Hide ${text}` }, gone ? "+" : "×");
    hide.addEventListener("click", () => filter.hide(name));
    const made = element("span", { class: gone ? "entry gone" : "entry" }, only, hide);
    made.dataset.name = name;
    return made;
  }

  /** The color of a class, and its shape if there are two classes. @param {number} code */
  swatch(code) {
    const { look, state } = this.filter.view;
    const open = code === 1 && state.paint.kind === "category" && state.paint.labels.length === 2;
    const [r, g, b] = code === 255 ? rgb(look.rest_sparse) : colorOf(look, state.paint, code);
    const color = `rgb(${r} ${g} ${b})`;
    const shape = open
      ? drawn("path", { d: "M6 1.5 10.5 6 6 10.5 1.5 6Z", fill: "none", stroke: color, "stroke-width": 2 })
      : drawn("circle", { cx: 6, cy: 6, r: 4.5, fill: color });
    return drawn("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, shape);
  }

  end() {
    this.root.remove();
    this.style.remove();
  }
}
