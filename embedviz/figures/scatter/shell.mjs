/** The elements of a map on its page: two canvases, ring and tooltip, the bar, and text for screen readers. */

import { element } from "../web/elements.mjs";

const STYLE = `
.map { position: relative; width: 100%; overflow: hidden; contain: strict;
  background: var(--st-background-color); color: var(--st-text-color); transition: color .02s; font-family: var(--st-font), sans-serif; }
.map canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; }
.map .over { cursor: grab; touch-action: pan-y; outline: none; user-select: none; -webkit-user-select: none; -webkit-tap-highlight-color: transparent; }
.map .over.closer { touch-action: none; }
.map .over.on { cursor: pointer; }
.map .over.dragging { cursor: grabbing; }
.map .over:focus-visible { box-shadow: inset 0 0 0 2px var(--st-text-color); border-radius: 6px; }
.map .ring { position: absolute; left: 0; top: 0; width: 13px; height: 13px; margin: -7.5px 0 0 -7.5px; border: 1.5px solid var(--st-text-color);
  border-radius: 50%; pointer-events: none; }
.map .tip { position: absolute; left: 0; top: 0; max-width: min(260px, 80%); padding: 5px 9px; pointer-events: none; font-size: 14px; line-height: 1.35;
  background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: 6px; box-shadow: 0 1px 4px rgb(0 0 0 / 8%); overflow-wrap: anywhere; }
.map .tip span { display: block; font-size: 13px; }
@media (min-width: 640px) { .map.large .tip, .map.large .tip span { font-size: 20px; } }
.map.large .bar .tools { display: none; }
.map .bar { position: absolute; top: 4px; right: 4px; max-width: calc(100% - 8px); display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 6px; pointer-events: none; }
.map .bar > * { pointer-events: auto; }
.map .turn[aria-pressed="true"] { box-shadow: inset 0 0 0 1px currentColor; }
.map.large :is(.step, .turn) { display: none; }
.map :is(.reset, .trails, .turn, .step) { height: 32px; padding: 0 10px; font: inherit; font-size: 13px; color: inherit; cursor: pointer;
  background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: 6px; }
.map .bar .step:not([hidden]) { display: grid; place-items: center; width: 32px; padding: 0; }
.map .step svg { width: 18px; height: 18px; fill: none; stroke: currentColor; stroke-width: 1.4; stroke-linecap: round; stroke-linejoin: round; }
.map :is(.reset, .trails, .turn, .step):hover { border-color: currentColor; }
.map :is(.reset, .trails, .turn, .step):focus-visible { outline: 2px solid var(--st-text-color); outline-offset: 1px; }
.map .status { position: absolute; left: 0; top: 50%; width: 100%; margin: -1em 0 0; text-align: center; font-size: 15px; pointer-events: none; }
.map .spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.map [hidden] { display: none; }
@media (max-width: 640px), (pointer: coarse) { .map :is(.reset, .trails, .turn) { height: 40px; padding: 0 14px; } .map .bar .step:not([hidden]) { width: 40px; height: 40px; } }
`;

const HELP = "Arrow keys move the map, or turn it where it has depth, plus and minus zoom, 0 shows all. N and P walk the words, C the classes, Enter chooses a word, Ctrl+Z undoes.";

/** Fill a root with the elements of a map, in place of its old content. @param {HTMLElement} root */
export function furnish(root) {
  const spoken = { tabindex: "0", role: "application", "aria-roledescription": "map of words", "aria-describedby": "help" };
  const button = (name, text) => element("button", { class: name, type: "button", hidden: "" }, text);
  const shell = {
    under: element("canvas", { class: "under", "aria-hidden": "true" }),
    over: element("canvas", { class: "over", ...spoken }),
    ring: element("div", { class: "ring", hidden: "" }),
    tip: element("div", { class: "tip", hidden: "" }),
    bar: element("div", { class: "bar" }),
    trails: button("trails", "Zoom to the trails"),
    reset: button("reset", "Reset view"),
    status: element("p", { class: "status", role: "status", hidden: "" }),
    help: element("p", { class: "spoken", id: "help" }, HELP),
    list: element("ol", { class: "spoken", "aria-label": "Selected", hidden: "" }),
    live: element("div", { class: "spoken", "aria-live": "polite" }),
  };
  const { under, over, ring, tip, bar, trails, reset, status, help, list, live } = shell;
  bar.append(trails, reset);
  root.replaceChildren(element("style", {}, STYLE), under, over, ring, tip, bar, status, help, list, live);
  return shell;
}

/**
 * Place a tooltip inside the map: to the right of its point if there is room, and below the bar in the upper right
 * corner.
 * @param {number} x @param {number} y @param {number} wide @param {number} high @param {{width: number, tall: number}} map
 * @param {[number, number]} [bar] its width and height
 * @returns {[number, number]}
 */
export function tipAt(x, y, wide, high, { width, tall }, [across, down] = [0, 0]) {
  const left = Math.max(x + 14 + wide > width ? x - 14 - wide : x + 14, 2);
  const under = across > 0 && left + wide > width - across - 8 && y - high - 8 < down + 8;
  const top = under ? Math.max(y + 14, down + 8) : Math.max(y - high - 8, 2);
  return [Math.round(left), Math.round(Math.min(top, tall - high - 2))];
}

/** The ring and the tooltip of the hovered word. */
export class Pointer {
  /** @param {ReturnType<typeof furnish>} shell */
  constructor({ ring, tip, bar }) {
    this.bar = bar;
    this.ring = ring;
    this.tip = tip;
    this.size = [0, 0];
    /** @type {[number, number]} of the bar */ this.taken = [0, 0];
  }

  hide() {
    this.ring.hidden = this.tip.hidden = true;
  }

  /** @param {string} word @param {string} line what its color says */
  show(word, line) {
    this.ring.hidden = this.tip.hidden = false;
    this.tip.replaceChildren(element("strong", {}, word), ...(line ? [element("span", {}, line)] : []));
    this.size = [this.tip.offsetWidth, this.tip.offsetHeight];
    this.taken = [this.bar.offsetWidth, this.bar.offsetHeight];
  }

  /** @param {number} x @param {number} y @param {{width: number, tall: number}} map */
  place(x, y, map) {
    const [left, top] = tipAt(x, y, this.size[0], this.size[1], map, this.taken);
    this.ring.style.transform = `translate(${x}px, ${y}px)`;
    this.tip.style.transform = `translate(${left}px, ${top}px)`;
  }
}
