/** The map as one page: it contains its data, has a search box, and needs no server. */

import { bytesOf } from "../web/numbers.mjs";
import { geometryOf, paintOf } from "./data.mjs";
import { ClassList } from "./classlist.mjs";
import { facetsOf } from "./facets.mjs";
import { Film } from "./film.mjs";
import { Filter } from "./filter.mjs";
import { listen } from "./interaction.mjs";
import { join } from "./link.mjs";
import { Player } from "./player.mjs";
import { reelOf } from "./reel.mjs";
import { RegionList } from "./regionlist.mjs";
import { NARROW } from "./sizes.mjs";
import { Timeline } from "./timeline.mjs";
import { View } from "./view.mjs";

const LEAST_HEIGHT = 240;
const MOST_OFFERED = 8;
const MOST_COMPLETED = 200_000; // words; above that, words are searched on demand

/** Draw the map of the page, and a second map beside it if there is one. */
export function start() {
  const [root, beside] = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".map"));
  const bytes = (id) => bytesOf(document.getElementById(id).textContent).buffer;
  const view = new View(root, "map");
  listen(view);
  const second = beside ? new View(beside, "beside") : null;
  const views = second ? [view, second] : [view];
  const geometry = geometryOf(bytes("geometry"), "page");
  const reel = geometry.frames ? reelOf("page") : null;
  if (reel) {
    const above = document.createElement("div");
    root.before(above);
    new Player(above, reel);
  }
  const fit = () => {
    const below = document.querySelector("footer").offsetHeight + 16;
    for (const each of views) {
      each.state.beside = second !== null && innerWidth >= NARROW;
      each.height = Math.max(LEAST_HEIGHT, innerHeight - root.getBoundingClientRect().top - scrollY - below);
      each.resize();
    }
  };
  fit();
  globalThis.addEventListener("resize", fit);
  const title = document.querySelector("h1")?.textContent;
  view.over.setAttribute("aria-label", `${title ? `${title}: a` : "A"} map of ${geometry.count.toLocaleString("en-US")} words.`);
  view.state.guests = JSON.parse(root.dataset.guests || "[]");
  if (root.dataset.filtered) offerFilter(view, document.getElementById("columns") ? facetsOf(bytes("columns")) : null);
  view.show(geometry, paintOf(bytes("paint")));
  fit(); // the legend takes room
  if (reel) {
    const [trails, near] = [root.dataset.trails, root.dataset.near].map((text) => text.split(" ").filter(Boolean).map(Number));
    new Film(view, reel).follow(trails, "", near);
    reel.take(geometry.moments, geometry.moments.length - 1);
  }
  if (second) {
    listen(second);
    for (const each of views) {
      each.link = "page";
      join(each);
    }
    second.over.setAttribute("aria-label", `A second map of the same words: ${beside.dataset.title}.`);
    second.show(geometryOf(bytes("geometry-beside"), "beside"), paintOf(bytes("paint-beside")));
  }
  finder(views);
}

/** Add the legend, the slider of dates and the names of regions to the footer. @param {View} view @param {import("./facets.mjs").Facets | null} facets */
function offerFilter(view, facets) {
  const place = document.querySelector("footer");
  const filter = new Filter(view, () => {});
  new ClassList(place, filter);
  new Timeline(place, filter);
  new RegionList(place, filter);
  filter.follow(facets, { classes: [], hidden: [], range: [], names: [], ...JSON.parse(view.root.dataset.filtered) }, true);
}

/** @param {import("./view.mjs").View[]} views */
function finder(views) {
  const { words } = views[0].state.geometry;
  const input = document.querySelector("input");
  const offers = document.querySelector("datalist");
  const said = document.querySelector(".said");

  const show = () => {
    const { row, hits } = found(words, input.value.trim());
    const text = input.value.trim();
    for (const view of views) {
      view.highlight({ chosen: row, neighbors: [], hits, strangers: [] });
      if (row >= 0) view.steering.face(row);
    }
    const count = words.length.toLocaleString("en-US");
    if (!text || row >= 0) said.textContent = "";
    else if (hits.length) said.textContent = `${hits.length.toLocaleString("en-US")} of ${count} words begin with “${text}”.`;
    else said.textContent = `“${text}” is not among the ${count} words.`;
  };
  // No form: a notebook's frame may not submit one.
  input.addEventListener("keydown", (event) => event.key === "Enter" && show());
  input.addEventListener("input", (event) => {
    const text = input.value.trim();
    const picked = /** @type {InputEvent} */ (event).inputType === "insertReplacementText"; // from the list
    if (!text || picked) show();
    if (words.length > MOST_COMPLETED) return;
    const { hits } = text ? found(words, text, MOST_OFFERED) : { hits: [] };
    offers.replaceChildren(...hits.map((row) => Object.assign(document.createElement("option"), { value: words.at(row) })));
  });
  for (const view of views) {
    view.onChoose = (row) => {
      input.value = words.at(row);
      said.textContent = "";
      for (const other of views) if (other.state.chosen !== row) other.highlight({ chosen: row, neighbors: [], hits: other.state.hits, strangers: [] });
    };
  }
}

/**
 * Return the row of a word, in the same case or else in another, or -1; and the rows of words that begin with the text,
 * at most `most`. Without a limit, a word that is found has no such rows.
 * @param {import("./data.mjs").Words} words @param {string} text @param {number} [most]
 */
export function found(words, text, most = Infinity) {
  /** @type {number[]} */
  const hits = [];
  if (!text) return { row: -1, hits };
  const small = text.toLowerCase();
  let [row, other] = [-1, -1];
  for (let i = 0; i < words.length && (row < 0 || most < Infinity) && hits.length < most; i++) {
    const word = words.at(i);
    if (word === text) row = i;
    const start = word.slice(0, small.length + 2).toLowerCase();
    if (!start.startsWith(small)) continue;
    hits.push(i);
    if (other < 0 && word.toLowerCase() === small) other = i;
  }
  if (row < 0) row = other;
  return { row, hits: row >= 0 && most === Infinity ? [] : hits };
}
