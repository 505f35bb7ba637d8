import assert from "node:assert/strict";
import { test } from "node:test";
import * as facets from "../../embedviz/figures/scatter/facets.mjs";
import { Filter } from "../../embedviz/figures/scatter/filter.mjs";
import { gridding, Location } from "../../embedviz/figures/scatter/grid.mjs";
import { plain, ticksOf } from "../../embedviz/figures/scatter/legend.mjs";
import { playedRange } from "../../embedviz/figures/scatter/timeline.mjs";
import { homeOf, transformOf } from "../../embedviz/figures/scatter/geometry.mjs";
import { geometryOf, paintOf } from "./sample.mjs";

const classes = facets.classesOf("topic", ["a", "b", "c"], Uint32Array.of(0, 0, 0, 1, 1, 2));

test("chosen classes have colors, all others are grey", () => {
  const paint = facets.paintedBy(classes, ["c", "a"]);
  assert.deepEqual([[...paint.codes], paint.colored, paint.labels], [[1, 1, 1, 255, 255, 0], 4, ["c", "a"]]);
  assert.deepEqual(classes.counts, [3, 2, 1]);
});

test("a ninth class takes the place of the smallest that was not named, then of the one named longest ago", () => {
  const eight = [..."abcdefgh"];
  assert.deepEqual(facets.recolored(eight, "x", []), [..."abcdefgx"]);
  assert.deepEqual(facets.recolored([..."abcdefgx"], "y", ["x"]), [..."abcdefyx"]);
  assert.deepEqual(facets.recolored(eight, "x", [..."cabdefgh"]), [..."abxdefgh"]);
  assert.deepEqual(facets.recolored(["a", "b"], "a", []), ["b"]);
  assert.deepEqual(facets.recolored(["a"], "a", []), ["a"]);
});

test("a class is found by any part of its name, first by its beginning", () => {
  const found = facets.classesLike({ ...classes, names: ["ice hockey", "Hockey", "chess"] }, " hock", 9);
  assert.deepEqual(found, ["Hockey", "ice hockey"]);
});

test("a click shows a class alone, then all; a hidden one comes back; not everything can be hidden", () => {
  const all = ["a", "b", "*"];
  const alone = facets.aloneOrBack(new Set(), all, "a");
  assert.deepEqual([...alone], ["b", "*"]);
  assert.equal(facets.aloneOrBack(alone, all, "a").size, 0);
  assert.deepEqual([...facets.aloneOrBack(alone, all, "b")], ["*"]);
  assert.deepEqual([...facets.toggled(new Set(["a"]), all, "a")], []);
  assert.equal(facets.toggled(alone, all, "a"), alone);
});

test("hidden classes and dates weigh nothing; areas grow with the numbers", () => {
  const paint = paintOf("category", Uint8Array.of(0, 1, 255, 0), ["a", "b"]);
  const time = { title: "day", unit: "day", values: Float32Array.of(1, 2, 3, NaN), low: 1, high: 3 };
  const size = { title: "n", values: Float32Array.of(0, 5, 10, NaN), low: 0, high: 10 };
  const weights = (hidden, range, more = {}) => {
    const made = facets.weightsOf({ count: 4, paint, hidden: new Set(hidden), facets: { classes: null, size: null, time, ...more }, range });
    return made && [...made];
  };
  assert.equal(weights([], null), null);
  assert.deepEqual(weights(["a"], null), [0, 1, 1, 0]);
  assert.deepEqual(weights(["*"], [2, 3]), [0, 1, 0, 0]);
  assert.deepEqual(weights([], null, { size }), [1, 128, 255, 1]);
  assert.ok(Math.abs(facets.factorOf(255) ** 2 / facets.factorOf(128) ** 2 - 2) < 0.06);
  assert.deepEqual(facets.sizeSteps(size).map(({ value }) => value), [10, 3, 0.8]);
  assert.deepEqual(facets.areaOf({ low: -2, high: 2 }), [-2, 2]);
});

test("dates are read and written, and played to the end", () => {
  assert.equal(facets.dateText(0, "day"), "1 Jan 1970");
  for (const code of ["1969-12-31", "2004-02-29"]) assert.equal(facets.dateCode(facets.dateOf(code, "day"), "day"), code);
  assert.equal(facets.dateOf("1990", "year"), 1990);
  assert.ok(Number.isNaN(facets.dateOf("soon", "day")));
  assert.deepEqual(playedRange([0, 10], 0, 10, 0.5), [0, 5]);
  assert.deepEqual([0, 1].map((share) => playedRange([2, 4], 0, 10, share)), [[2, 4], [8, 10]]);
  assert.deepEqual(playedRange([8, 10], 0, 10, 0), [0, 2]);
  assert.deepEqual(facets.histogram({ values: Float32Array.of(0, 1, 9, 10, NaN), low: 0, high: 10 }, 2), [2, 2]);
});

test("a scale has round numbers between its ends", () => {
  assert.deepEqual(ticksOf(0, 10), [5]);
  assert.deepEqual(ticksOf(-1, 1), [0]);
  assert.deepEqual(ticksOf(3, 3), []);
  for (const [low, high] of [[0.2, 0.9], [1, 7], [120, 9000]]) {
    const ticks = ticksOf(low, high);
    assert.ok(ticks.length >= 1 && ticks.length <= 3 && ticks.every((tick) => tick > low && tick < high), `${ticks}`);
  }
  assert.equal(plain(5, 10), "5");
});

test("a hidden point is nowhere: neither pointer nor lasso meets it", () => {
  const geometry = geometryOf(Float32Array.of(0, 0, 1, 1, 2, 2));
  const at = transformOf(homeOf(geometry.bounds), geometry.bounds, { width: 90, height: 90, left: 5, right: 5, top: 5, bottom: 5 });
  const grid = new Location((spare) => gridding(geometry.points, 2, at, 90, 90, spare, Uint8Array.of(1, 0, 1))).whole();
  assert.deepEqual([...grid.inside].sort(), [0, 2]);
});

test("an answer of Python to an earlier choice does not undo a later one", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.window ??= globalThis;
  const paint = paintOf("category", Uint8Array.of(0, 1, 255), ["a", "b"]);
  const state = { geometry: { count: 3, words: { at: String } }, paint, weights: null };
  const view = { state, root: { dataset: {} }, speak() {}, weigh: (weights) => (state.weights = weights) };
  const sent = [];
  const filter = new Filter(view, (filtered) => sent.push(filtered));
  const start = { classes: [], hidden: [], range: [], names: [] };
  filter.follow(null, start);
  for (const name of ["a", "b"]) {
    filter.hide(name);
    t.mock.timers.tick(500);
  }
  assert.deepEqual(sent.map(({ hidden }) => hidden), [["a"], ["a", "b"]]);
  filter.follow(null, sent[0]);
  assert.deepEqual([...state.weights], [0, 0, 1]);
  filter.follow(null, sent[1]);
  filter.follow(null, start); // the browser's Back
  assert.equal(state.weights, null);
  assert.equal(filter.note(), "");
  filter.hide("a");
  t.mock.timers.tick(500);
  filter.forget(); // Back, before Python answered: it says what it said before, which no map hears of
  assert.equal(state.weights, null);
});
