/** Entry point for Streamlit: finds or makes the view, fetches missing data, and sends clicks back. */

import { Missing, fetched, geometryOf, paintOf } from "./data.mjs";
import { download } from "./download.mjs";
import { ClassList } from "./classlist.mjs";
import { facetsOf } from "./facets.mjs";
import { Film } from "./film.mjs";
import { Filter } from "./filter.mjs";
import { listen } from "./interaction.mjs";
import { join, linked } from "./link.mjs";
import { reelOf } from "./reel.mjs";
import { RegionList } from "./regionlist.mjs";
import { Rerun, recordingOf } from "./rerun.mjs";
import { LARGE, NARROW, tallOf } from "./sizes.mjs";
import { maskOf } from "./selection.mjs";
import { columns, geometries, paints, selections, views } from "./store.mjs";
import { goBack, moved } from "./stream.mjs";
import { Timeline } from "./timeline.mjs";
import { equip } from "./tools.mjs";
import { View } from "./view.mjs";

const SLOW_MS = 700;
const MOST_ATTEMPTS = 4;
const LOST = "The points of this map did not arrive. Reload the page to try again.";

/**
 * One mounted map: the view, and what it is waiting for.
 * @param {HTMLElement} root @param {any} data
 */
function mounted(root, data) {
  const view = new View(root, data.chart);
  const undo = listen(view);
  const part = join(view);
  const tools = equip(view);
  const picture = (event) => {
    if (event.detail?.chart === view.chart) void download(view, event.detail);
  };
  const fit = () => held.fit();
  globalThis.addEventListener("embedviz:picture", picture);
  globalThis.addEventListener("resize", fit);
  const held = {
    view,
    tools,
    /** Take the height that the window leaves. */
    fit() {},
    wanted: "",
    told: "",
    unanswered: "",
    attempts: 0,
    loading: new AbortController(),
    /** @type {Film | null} */ film: null,
    /** @type {Filter | null} */ filter: null,
    /** @type {HTMLElement | null} what stands below the map */ below: null,
    /** @type {HTMLElement | null} the names of regions below that */ list: null,
    /** @type {ResizeObserver | null} */ sizes: null,
    /** @type {(filtered: import("./filter.mjs").Filtered) => void} */ tell() {},
    /** @type {Rerun | null} */ rerun: null,
    stream: "",
    streaming: new AbortController(),
    end() {
      this.loading.abort();
      this.streaming.abort();
      this.film?.end();
      this.rerun?.end();
      this.filter?.end();
      this.sizes?.disconnect();
      undo();
      part();
      tools.end();
      globalThis.removeEventListener("embedviz:picture", picture);
      globalThis.removeEventListener("resize", fit);
      view.end();
      views.delete(root);
    },
  };
  return held;
}

/**
 * Called at each change of data or theme; the same root keeps the same view.
 * @param {{data: any, parentElement: ShadowRoot | HTMLElement, setTriggerValue: (name: string, value: unknown) => void}} component
 * @param {string} base address that `data/…` is relative to
 */
export default function main({ data, parentElement, setTriggerValue }, base) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector(".map"));
  let held = views.get(root);
  if (!held) views.set(root, (held = mounted(root, data)));
  const { view } = held;
  view.call(data.chart);
  held.fit = () => {
    view.state.beside = view.link !== "" && innerWidth >= NARROW;
    view.height = tallOf(data, innerHeight - (held.below?.offsetHeight ?? 0));
    view.resize();
  };
  root.classList.toggle("large", Boolean(data.large));
  view.enlarge(data.large && innerWidth >= NARROW ? LARGE : 1);
  view.note = data.note;
  view.link = data.link ?? "";
  view.over.setAttribute("aria-label", data.summary || `A map of ${data.count.toLocaleString("en-US")} words.`);
  view.onChoose = (row) => setTriggerValue("clicked", { index: row, of: view.state.geometry.id });
  view.onSelect = (message) => {
    held.unanswered = message.id;
    setTriggerValue("selected", message);
  };
  held.tools.offer(Boolean(data.selecting));
  view.retheme();
  held.fit();
  const marks = { chosen: data.chosen ?? -1, neighbors: data.neighbors, hits: data.hits, strangers: data.strangers ?? [], guests: data.guests ?? [] };
  filter(held, data, setTriggerValue);
  const wanted = wantedOf(data);
  if (held.shown === wanted) {
    held.loading.abort(); // discard requests made in between
    held.wanted = wanted;
    held.filter?.follow(columns.get(data.columns?.id) ?? null, data.filtered);
    view.highlight(marks);
    roll(held, data, base, setTriggerValue);
    void follow(held, data.selected, base, setTriggerValue);
  } else void load(held, data, base, marks, setTriggerValue);
  return () => setTimeout(() => root.isConnected || held.end());
}

/** Return the name of what is drawn: points, coloring and columns. @param {any} data */
function wantedOf({ geometry, paint, columns: listed }) {
  return [geometry.id, paint.id, listed?.id].filter(Boolean).join(" ");
}

/** Show the legend and the slider below a map that offers them. @param {any} held @param {any} data @param {(name: string, value: unknown) => void} tell sends a value to Python */
function filter(held, data, tell) {
  if (data.filtered && !held.filter) {
    const place = document.createElement("div");
    held.view.root.after(place);
    held.filter = new Filter(held.view, (filtered) => held.tell(filtered));
    new ClassList(place, held.filter);
    new Timeline(place, held.filter);
    held.list = document.createElement("div"); // the map leaves no room for it, since its length follows the zoom
    place.after(held.list);
    new RegionList(held.list, held.filter);
    held.below = place;
    held.sizes = new ResizeObserver(() => held.fit());
    held.sizes.observe(place);
  }
  held.tell = (filtered) => tell("filtered", { ...filtered, of: held.view.state.geometry.id });
  if (held.below) held.below.hidden = held.list.hidden = Boolean(data.large) || !data.filtered;
}

/** Set up what moves the points: a reel, a run or a stream. @param {any} held @param {any} data @param {string} base @param {(name: string, value: unknown) => void} tell sends a value to Python */
function roll(held, data, base, tell) {
  play(held, data.movie);
  rerun(held, data, tell);
  stream(held, data, base);
}

/**
 * Show the slider of the run that draws the map, during the run and after it.
 * @param {any} held @param {{run?: import("./rerun.mjs").Run | null, stream?: string | null}} data @param {(name: string, value: unknown) => void} tell sends a value to Python
 */
function rerun(held, { run, stream: token }, tell) {
  if (held.rerun && held.rerun.name !== run?.name) {
    held.rerun.end();
    held.rerun = null;
  }
  held.after = run?.after ?? 0;
  if (!run || (!held.rerun && !token && !recordingOf(run.name).frames.length)) return;
  held.rerun ??= new Rerun(held.view, held.view.root.parentNode, run.name, (step) => tell("step", { step, of: run.name }));
  held.rerun.settle(run, Boolean(token), geometries.get(held.view.state.geometry.id) ?? held.view.state.geometry);
}

/**
 * Move the points by a reel, if they have moments.
 * @param {any} held @param {{reel: string, stops: number[], step: number, trails: number[], near: number[], name: string} | null | undefined} movie
 */
function play(held, movie) {
  const reel = movie && held.view.state.geometry?.frames ? reelOf(movie.reel) : null;
  if (held.film && held.film.reel !== reel) {
    held.film.end();
    held.film = null;
  }
  if (!reel) return;
  held.film ??= new Film(held.view, reel);
  reel.take(movie.stops, movie.step);
  held.film.follow(movie.trails, movie.name, movie.near);
}

/** Fetch points, coloring and columns that are new, and show them together with their marks. */
async function load(held, data, base, marks, setTriggerValue) {
  const { view } = held;
  const wanted = wantedOf(data);
  if (held.wanted !== wanted) [held.wanted, held.attempts] = [wanted, 0];
  held.loading.abort();
  const { signal } = (held.loading = new AbortController());
  const wait = () => view.state.geometry || view.say(`Loading ${data.count.toLocaleString("en-US")} words.`);
  const slow = setTimeout(wait, SLOW_MS);
  const address = (token) => new URL(`data/${token}`, base).href;
  try {
    const [geometry, paint, facets] = await Promise.all([
      geometries.get(data.geometry.id) ?? fetched(address(data.geometry.token), signal).then((bytes) => geometryOf(bytes, data.geometry.id)),
      paints.get(data.paint.id) ?? fetched(address(data.paint.token), signal).then(paintOf),
      data.columns ? (columns.get(data.columns.id) ?? fetched(address(data.columns.token), signal).then(facetsOf)) : null,
    ]);
    if (signal.aborted || view.ended) return;
    geometries.set(data.geometry.id, geometry);
    paints.set(data.paint.id, paint);
    if (facets) columns.set(data.columns.id, facets);
    held.filter?.follow(facets, data.filtered, true);
    held.shown = wanted;
    held.attempts = 0;
    Object.assign(view.state, marks);
    view.show(geometry, held.filter?.paintFor(paint) ?? paint);
    if (!held.filter) for (const one of linked(view)) one.filter?.apply();
    roll(held, data, base, setTriggerValue);
    void follow(held, data.selected, base, setTriggerValue);
  } catch (error) {
    if (signal.aborted || view.ended) return;
    if (++held.attempts >= MOST_ATTEMPTS) {
      view.fail(LOST);
      return;
    }
    wait();
    // Python may have dropped the bytes: it publishes them again, under another token, when the page runs again.
    if (error instanceof Missing) setTriggerValue("missing", { attempt: held.attempts });
    setTimeout(() => signal.aborted || view.ended || load(held, data, base, marks, setTriggerValue), 1500 * held.attempts);
  } finally {
    clearTimeout(slow);
  }
}

/** Let the points follow the job that Python names; without a job, stop following. @param {any} held @param {{stream?: string | null}} data @param {string} base */
function stream(held, { stream: token }, base) {
  if (held.stream === (token ?? "")) return;
  held.stream = token ?? "";
  held.streaming.abort();
  held.view.root.dataset.stream = "off";
  if (!token) {
    goBack(held.view, geometries.get(held.view.state.geometry.id));
    return;
  }
  held.streaming = new AbortController();
  /** @param {Float32Array} points @param {{step?: number}} header */
  const take = (points, { step = 0 }) => {
    const wanted = held.rerun?.take(points, step) ?? true;
    return wanted && !(step && step <= held.after);
  };
  void moved(held.view, new URL(`frames/${token}`, base).href, held.streaming.signal, take);
}

/**
 * Show the selection that Python names, if it is another one than before. A selection that Python repeats is ignored
 * while Python has not answered a newer one from here. Large selections come by the route; selections drawn here by
 * their id only.
 * @param {any} held @param {{id: string, of: string, count: number, indices?: number[], token?: string} | null | undefined} wish
 */
async function follow(held, wish, base, setTriggerValue) {
  const { view } = held;
  if (!wish || wish.of !== view.state.geometry?.id) return;
  if (wish.id === held.unanswered) held.unanswered = "";
  const known = selections.get(wish.id);
  const late = held.unanswered && known?.drawn;
  if (late || (wish.id === held.told && view.state.selection) || wish.id === view.state.selection?.id) return;
  held.told = wish.id;
  const n = view.state.geometry.count;
  try {
    const mask = known?.mask ?? (await maskOfWish(wish, n, base));
    if (view.ended || held.told !== wish.id || wish.of !== view.state.geometry?.id) return;
    if (mask) view.select({ id: wish.id, of: wish.of, mask, count: wish.count, drawn: known?.drawn ?? false });
    else setTriggerValue("missing", { selection: wish.id });
  } catch (error) {
    if (error instanceof Missing) setTriggerValue("missing", { selection: wish.id });
    else console.error(error);
  }
}

/** @param {{count: number, indices?: number[], token?: string}} wish @param {number} n @param {string} base @returns {Promise<Uint8Array | null>} null if this browser no longer has what it once drew */
async function maskOfWish({ count, indices, token }, n, base) {
  if (!count) return new Uint8Array(n);
  if (token) return maskOf(new Uint8Array(await fetched(new URL(`data/${token}`, base).href, AbortSignal.timeout(60_000))), n);
  if (!indices) return null;
  const mask = new Uint8Array(n);
  for (const row of indices) mask[row] = 1;
  return mask;
}
