/** The nearest neighbors of a word at the moment that the reel shows. */

import { element } from "../web/elements.mjs";
import { decimal } from "../web/numbers.mjs";
import { leave, passes, placeOf } from "./reel.mjs";

/**
 * @typedef {object} Lists
 * @property {string} title
 * @property {string} meaning a sentence on when the final neighbors become near
 * @property {number[]} epochs of the lists
 * @property {[string, number][][]} lists word and cosine, nearest first, one list per moment
 * @property {string[]} last the list of the last moment: its words are bold and have a mark
 * @property {number[]} means cosine of two random words at each moment
 */

const STYLE = `
.nearest { font: 400 14px/1.4 var(--st-font); color: var(--st-text-color); font-variant-numeric: tabular-nums;
  --muted: color-mix(in srgb, var(--st-text-color) 72%, transparent); }
.nearest h3 { margin: 0; padding-top: 12px; border-top: 1px solid var(--st-border-color); font: 600 15px/1.6 var(--st-font); overflow-wrap: anywhere; }
.nearest p { margin: 0; color: var(--muted); font-size: 13px; }
.nearest ol { list-style: none; margin: 6px 0; padding: 0; }
.nearest li { display: flex; justify-content: space-between; gap: 12px; min-height: 26px; align-items: center; border-bottom: 1px solid color-mix(in srgb, var(--st-text-color) 10%, transparent); }
.nearest button { all: unset; cursor: pointer; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--muted); }
.nearest button:hover { text-decoration: underline; }
.nearest button:focus-visible { outline: 2px solid var(--st-text-color); outline-offset: 2px; }
.nearest li[data-stays="true"] button { color: var(--st-text-color); font-weight: 600; }
.nearest li[data-stays="true"] button::after { content: " ✓" / ""; }
@media (max-width: 639px) { .nearest li { min-height: 40px; } }
`;

/** The list of one reel; a part of the reel. */
export class Nearest {
  /** @param {HTMLElement | ShadowRoot} parent @param {import("./reel.mjs").Reel} reel */
  constructor(parent, reel) {
    this.reel = reel;
    /** @type {Lists | null} */
    this.lists = null;
    this.shown = "";
    this.heading = element("h3");
    this.about = element("p");
    this.list = element("ol");
    this.meaning = element("p");
    this.root = element("div", { class: "nearest" }, this.heading, this.about, this.list, this.meaning);
    parent.append(element("style", {}, STYLE), this.root);
    /** @type {(word: string) => void} */
    this.onChoose = () => {};
    reel.parts.add(this);
  }

  /** @param {Lists} lists @param {(word: string) => void} choose */
  show(lists, choose) {
    [this.lists, this.onChoose, this.shown] = [lists, choose, ""];
    this.reel.draw();
  }

  draw() {
    const { lists, reel } = this;
    if (!lists) return;
    const [low, share] = placeOf(lists.epochs, reel.epoch);
    const place = low + Math.round(share);
    const now = `${lists.title} ${place}`;
    if (now === this.shown) return;
    this.shown = now;
    this.heading.textContent = lists.title;
    const last = new Set(lists.last);
    const near = lists.lists[place].filter(([word]) => last.has(word)).length;
    this.about.textContent = `Epoch ${passes(lists.epochs[place])}: ${near} of its ${last.size} final neighbors (✓). Mean cosine of two words: ${decimal(lists.means[place])}`;
    this.meaning.textContent = lists.meaning;
    this.list.replaceChildren(
      ...lists.lists[place].map(([word, cosine]) => {
        const button = element("button", { type: "button" }, word);
        button.addEventListener("click", () => this.onChoose(word));
        return element("li", { "data-stays": String(last.has(word)) }, button, element("span", {}, decimal(cosine)));
      }),
    );
    this.root.dataset.epoch = passes(lists.epochs[place]);
  }

  end() {
    leave(this.reel, this);
  }
}
