/** Tables of words and their bars. Words are untrusted: they enter the page as text nodes only. */

import { element } from "./elements.mjs";
import { clamp } from "./numbers.mjs";

/** Draw a table in place of the previous one. @param {Element} parent @param {string} label @param {string} look its class @param {string[][]} columns title and class of each @param {Element[]} rows */
export function drawTable(parent, label, look, columns, rows) {
  const titles = columns.map(([title, kind = ""]) => element("th", { class: kind }, title));
  const head = element("thead", {}, element("tr", {}, ...titles));
  parent.querySelector("table")?.remove();
  parent.append(element("table", { class: look, "aria-label": label }, head, element("tbody", {}, ...rows)));
}

/** Draw a bar that is filled to a share, with a tick at the baseline. @param {number} share @param {number | null} tick 0 to 1 */
export function bar(share, tick) {
  const part = (name, side, value) => element(name, { style: `${side}: ${100 * clamp(value, 0, 1)}%` });
  return element("div", { class: "track" }, part("i", "width", share), ...(tick === null ? [] : [part("b", "left", tick)]));
}
