import assert from "node:assert/strict";
import { test } from "node:test";
import { carried, homeOf } from "../../embedviz/figures/scatter/geometry.mjs";
import { linked, sameRow } from "../../embedviz/figures/scatter/link.mjs";
import { Pace } from "../../embedviz/figures/scatter/pace.mjs";
import { tipAt } from "../../embedviz/figures/scatter/shell.mjs";
import { heightOf, tallOf } from "../../embedviz/figures/scatter/sizes.mjs";
import { State } from "../../embedviz/figures/scatter/state.mjs";
import { around, gliding } from "../../embedviz/figures/scatter/steering.mjs";
import { Bounded, mounts } from "../../embedviz/figures/scatter/store.mjs";
import { sideBySide } from "../../embedviz/figures/scatter/svg.mjs";
import { few, figure, geometryOf } from "./sample.mjs";

function stateOf({ geometry, paint }, width = 800, tall = 500) {
  const state = new State();
  Object.assign(state, { width, tall });
  state.take(geometry, homeOf(geometry.bounds));
  state.paint = paint;
  state.recolor();
  return state;
}

test("the fewer the points the larger is the grey rest", () => {
  for (const n of [6, 16, 80]) {
    const state = stateOf(few(n));
    assert.deepEqual([state.radii(), state.opacity(1)], [[3.5, 3.5], [1, 1]]);
  }
  const rest = [81, 120, 300, 799, 2000].map((n) => stateOf(few(n)).radii()[0]);
  assert.deepEqual(rest, rest.toSorted((a, b) => b - a));
  assert.ok(rest[0] < 3.5 && rest[0] > 3.4);
  assert.equal(rest.at(-1), 2);
  assert.equal(stateOf(few(3000)).radii()[0], 1);
});

test("a closer look at many points makes them few", () => {
  const state = stateOf(figure(5000));
  assert.equal(state.few(), 0);
  state.camera = { ...state.camera, zoom: 60 };
  assert.equal(state.few(), 1);
});

test("points that move begin where they are, end where they go, and the camera keeps its place among them", () => {
  const state = stateOf(figure());
  const goal = state.geometry.points.map((value) => 50 * value + 9000);
  const [before, rows] = [[...Array(20).keys()].map((row) => state.position(row)), [...Array(20).keys()]];
  state.move(goal, undefined, 500, 1000);
  const apart = (a, b) => Math.max(...a.map(([x, y], k) => Math.hypot(x - b[k][0], y - b[k][1])));
  assert.ok(apart(rows.map((row) => state.position(row)), before) < 0.01);
  assert.equal(state.fly(1250), false);
  assert.ok(state.fly(1500));
  state.flight = null;
  assert.ok(apart(rows.map((row) => state.position(row)), before) < 0.5); // the same picture, larger and elsewhere
  assert.ok(state.isHome() && state.travelled());
});

test("a new layout is shown as it was left, as the one before in the same room, else whole", () => {
  const state = stateOf(figure());
  const other = geometryOf(state.geometry.points.map((value) => value + 100));
  const left = { x: 101, y: 99, zoom: 4 };
  assert.equal(state.cameraFor(other, left, false), left);
  assert.deepEqual(state.cameraFor(other, { x: NaN }, false), homeOf(other.bounds));
  state.camera = { ...state.camera, zoom: 3 };
  assert.equal(state.cameraFor({ ...state.geometry, id: "same room" }, undefined, false), state.camera);
  const before = state.geometry.bounds;
  assert.equal(carried(state.camera, before, other.bounds, state.frame()).zoom, 3);
});

test("a map is as high as wanted, and on a phone as its points need", () => {
  const frame = { width: 358, height: 0, left: 8, right: 8, top: 10, bottom: 10 };
  assert.equal(heightOf(500, 800, null, frame), 500);
  assert.equal(heightOf(500, 358, null, frame), 336);
  assert.deepEqual([500, 300].map((wanted) => heightOf(wanted, 440, null, frame, true)), [440, 300]);
  assert.equal(heightOf(500, 358, { minX: 0, maxX: 2, minY: 0, maxY: 1 }, frame), 200);
  assert.equal(heightOf(500, 358, { minX: 0, maxX: 3, minY: 0, maxY: 2 }, frame), 248);
});

test("three slow frames halve what is drawn in motion, and quick ones double it at the next movement", () => {
  const pace = new Pace(1_000_000);
  const frames = (ms, n) => {
    for (let k = 0; k < n; k++) pace.measure((pace.last += ms) + ms);
  };
  assert.equal(pace.share, 0.25);
  pace.begin();
  frames(60, 5);
  assert.equal(pace.share, 0.125);
  pace.begin();
  frames(10, 20);
  assert.equal(pace.share, 0.125);
  pace.begin();
  assert.equal(pace.share, 0.25);
  assert.equal(new Pace(100).share, 1);
});

test("a glide ends where it leads, and a look at trails holds all their places", () => {
  const [from, to] = [{ x: 0, y: 0, zoom: 1 }, { x: 4, y: 2, zoom: 8 }];
  const half = gliding({ from, to, since: 0 }, 110);
  assert.ok(!half.arrived && half.camera.zoom > 1 && half.camera.zoom < 8);
  const end = gliding({ from, to, since: 0 }, 220);
  assert.ok(end.arrived && Math.abs(end.camera.zoom - 8) < 1e-9 && Math.abs(end.camera.x - 4) < 1e-9);
  const frames = Float32Array.of(1, 1, 9, 9, 2, 3, 9, 0);
  const geometry = { ...geometryOf(frames.subarray(4)), bounds: { minX: 0, maxX: 10, minY: 0, maxY: 10 }, frames, moments: [0, 1] };
  const near = around(from, geometry, [0], { width: 800, height: 500, left: 0, right: 0, top: 0, bottom: 0 });
  assert.deepEqual([near.x, near.y], [1.5, 2]);
  assert.ok(near.zoom > 1);
});

test("a tooltip stays inside the map", () => {
  const map = { width: 300, tall: 200 };
  assert.deepEqual(tipAt(50, 100, 80, 30, map), [64, 62]);
  assert.deepEqual(tipAt(290, 5, 80, 30, map), [196, 2]);
});

test("a tooltip leaves the bar of the map free", () => {
  const [map, bar] = [{ width: 300, tall: 200 }, [120, 40]];
  for (let x = 0; x <= 300; x += 10) {
    for (let y = 0; y <= 200; y += 5) {
      const [left, top] = tipAt(x, y, 80, 30, map, bar);
      assert.ok(left + 80 <= 172 || top >= 48, `${x}, ${y}`);
      assert.ok(left >= 2 && top >= 2 && top + 30 <= 200, `${x}, ${y}`);
    }
  }
});

test("what is kept is bounded by its weight and never loses the newest", () => {
  const kept = new Bounded(10, (weight) => weight);
  const seen = [["a", 4], ["b", 4], ["a", 5], ["c", 3], ["d", 40]].map(([key, weight]) => {
    kept.set(key, weight);
    return [...kept.entries.keys()].join("");
  });
  assert.deepEqual(seen, ["a", "ab", "ba", "ac", "d"]);
});

test("a map takes the height that the window leaves, and never less than its least", () => {
  assert.equal(tallOf({ height: 480, spare: 304 }, 1080), 776);
  assert.equal(tallOf({ height: 480, spare: 304 }, 700), 480);
  assert.equal(tallOf({ height: 400 }, 1080), 400);
});

test("in the lecture view points and margins are larger", () => {
  const state = stateOf(few(500));
  const [radii, frame] = [state.radii(), state.frame()];
  state.scale = 2;
  assert.deepEqual(state.radii(), radii.map((radius) => 2 * radius));
  assert.equal(state.frame().scale, 2);
  assert.ok(state.frame().bottom >= frame.bottom);
});

test("linked maps point at the same word, and stand in one picture", () => {
  const { geometry } = figure();
  const word = geometry.words.at(7);
  assert.deepEqual([{ row: 7, word }, { row: 8, word }, { row: -1, word: "" }, { row: 1e6, word }].map((said) => sameRow(geometry, said)), [7, -1, -1, -1]);
  const [one, two, other] = ["pair", "pair", ""].map((link) => ({ link, state: { geometry } }));
  for (const [name, view] of Object.entries({ one, two, other })) mounts.set(name, view);
  assert.deepEqual([linked(/** @type {any} */ (two)), linked(/** @type {any} */ (other))], [[two, one], [other]]);
  const picture = (width, height) => `<svg xmlns="x" width="${width}" height="${height}"><title>a</title></svg>`;
  assert.equal(sideBySide([picture(30, 40)], "#fff"), picture(30, 40));
  const both = sideBySide([picture(30, 40), picture(50, 20)], "#fff");
  assert.match(both, /^<svg [^>]*width="80" height="40" viewBox="0 0 80 40">/);
  assert.ok(both.includes('<svg x="0" ') && both.includes('<svg x="30" '));
});
