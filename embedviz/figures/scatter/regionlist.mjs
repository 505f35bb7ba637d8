/** The names of the regions in view, under the map: each is renamed, merged with another one, or hidden. */

import { element } from "../web/elements.mjs";
import { nearestTo } from "./regions.mjs";

const LONGEST = 60;
const MOST_OFFERED = 8;

const STYLE = `
.regions { padding: 4px 0 2px; font: 400 14px/1.3 var(--st-font), sans-serif; color: var(--st-text-color); }
.regions[hidden], .regions [hidden] { display: none; }
.regions summary { display: inline-block; padding: 6px 0; cursor: pointer; }
.regions summary::before { content: "▸ "; }
.regions[open] summary::before { content: "▾ "; }
.regions .row { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 6px; }
.regions :is(button, select, input) { box-sizing: border-box; height: 32px; padding: 0 10px; font: inherit; color: inherit; background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: 6px; }
.regions :is(button, select) { cursor: pointer; max-width: 24ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.regions button:hover { border-color: currentColor; }
.regions input { width: 24ch; background: var(--st-secondary-background-color); }
.regions :is(button, select, input, summary):focus-visible { outline: 2px solid var(--st-text-color); outline-offset: 1px; }
.regions button[aria-pressed="true"] { box-shadow: inset 0 0 0 1px currentColor; }
.regions form { margin: 6px 0; }
@media (max-width: 640px), (pointer: coarse) { .regions :is(button, select, input) { height: 40px; font-size: 16px; } }
`;

/** The list of regions; a part of the filter. */
export class RegionList {
  /** @param {HTMLElement | ShadowRoot} parent @param {import("./filter.mjs").Filter} filter */
  constructor(parent, filter) {
    this.filter = filter;
    this.seen = "";
    this.chosen = ""; // the id of the region in the form
    this.title = element("summary");
    this.row = element("div", { class: "row" });
    this.input = element("input", { type: "text", maxlength: LONGEST, "aria-label": "Name of the region" });
    this.merge = element("select", { "aria-label": "Merge with" });
    this.hide = element("button", { type: "button" }, "Hide");
    this.form = element("form", { class: "row", hidden: "" }, this.input, element("button", { type: "submit" }, "Rename"), this.hide, this.merge);
    this.original = element("button", { type: "button", hidden: "" }, "Original names");
    this.root = element("details", { class: "regions", hidden: "" }, this.title, this.form, this.row);
    this.style = element("style", {}, STYLE);
    parent.append(this.style, this.root);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.name(this.input.value.trim());
    });
    this.hide.addEventListener("click", () => this.name(""));
    this.merge.addEventListener("change", () => this.mergeWith(this.merge.value));
    this.original.addEventListener("click", () => filter.nameRegions({}, "The regions have their original names."));
    filter.parts.push(this);
    filter.editRegion = (id) => this.open(id);
  }

  get region() {
    return this.filter.regions.find(({ id }) => id === this.chosen) ?? null;
  }

  /** Open the form for a region. @param {string} id */
  open(id) {
    this.chosen = id;
    this.root.setAttribute("open", "");
    this.seen = "";
    this.draw();
    this.input.focus();
    this.input.select();
  }

  /** Return the ids of a written name: several if regions were merged. @param {string} id */
  idsOf(id) {
    const { filter } = this;
    const name = filter.regionNames[id];
    const same = Object.entries(filter.regionNames).filter(([other, given]) => name !== undefined && given === name && other.split(".").length === id.split(".").length);
    return [...new Set([id, ...same.map(([other]) => other)])];
  }

  /** @param {string} name empty to hide the region */
  name(name) {
    const { region, filter } = this;
    if (!region) return;
    const given = Object.fromEntries(this.idsOf(region.id).map((id) => [id, name]));
    if (!name) this.chosen = "";
    filter.nameRegions({ ...filter.regionNames, ...given }, name ? `${region.name} is now ${name}.` : `${region.name} is hidden.`);
    this.seen = "";
    this.draw();
  }

  /** @param {string} other id of the region whose name both have from now on */
  mergeWith(other) {
    const { region, filter } = this;
    const into = filter.regions.find(({ id }) => id === other);
    if (!region || !into) return;
    const given = Object.fromEntries([...this.idsOf(region.id), ...this.idsOf(other)].map((id) => [id, into.name]));
    this.chosen = "";
    filter.nameRegions({ ...filter.regionNames, ...given }, `${region.name} and ${into.name} are one region.`);
  }

  draw() {
    const { filter, region } = this;
    const { regions, written, regionNames } = filter;
    const what = JSON.stringify([written, this.chosen, regionNames, regions.length]);
    if (what === this.seen) return;
    this.seen = what;
    this.root.hidden = !filter.facets?.regions;
    this.title.textContent = `Names of regions (${written.length} in view)`;
    const named = written.map((id) => regions.find((one) => one.id === id)).filter(Boolean);
    const focused = /** @type {ShadowRoot | Document} */ (this.root.getRootNode()).activeElement;
    const at = [...this.row.children].indexOf(/** @type {HTMLElement} */ (focused));
    this.row.replaceChildren(...named.map((one) => this.button(one)), this.original);
    this.original.hidden = !Object.keys(regionNames).length;
    if (at >= 0) /** @type {HTMLElement} */ (this.row.children[Math.min(at, this.row.children.length - 1)])?.focus();
    this.form.hidden = !region;
    if (!region) return;
    if (focused !== this.input) this.input.value = region.name;
    const option = ({ id, name }) => element("option", { value: id }, name);
    this.merge.replaceChildren(element("option", { value: "" }, "Merge with …"), ...nearestTo(regions, region, MOST_OFFERED).map(option));
  }

  /** @param {import("./regions.mjs").Region} region */
  button({ id, name, size }) {
    const made = element("button", { type: "button", "aria-pressed": String(id === this.chosen), title: `${name}: ${size.toLocaleString("en-US")} points. Rename, merge or hide it` }, name);
    made.addEventListener("click", () => this.open(id));
    return made;
  }
}
