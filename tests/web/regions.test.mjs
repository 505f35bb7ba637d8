import assert from "node:assert/strict";
import { test } from "node:test";
import { fitting, nearestTo, renamed } from "../../embedviz/figures/scatter/regions.mjs";
import { labelsOf } from "../../embedviz/figures/scatter/labels.mjs";
import { homeOf, transformOf } from "../../embedviz/figures/scatter/geometry.mjs";
import { figure, gridOf } from "./sample.mjs";

const region = (id, name, x, y, radius, size = 10, row = 1) => ({ id, name, at: [x, y], row, radius, size });
const found = [region("1", "a", 0, 0, 5), region("2", "b", 10, 0, 3, 30), region("3", "c", 4, 0, 2), region("1.1", "a", 1, 0, 1), region("1.2", "d", -1, 0, 1)];

test("a reader renames, hides and merges regions; equal names that nobody gave stay two", () => {
  assert.deepEqual(renamed(found, {}).map(({ name }) => name), ["a", "b", "c", "a", "d"]);
  assert.deepEqual(renamed(found, { 2: "", 1.1: "x" }).map(({ name }) => name), ["a", "c", "x", "d"]);
  assert.deepEqual(renamed(found, { 1: "" }).map(({ name }) => name), ["b", "c"]);
  const [one, ...others] = renamed(found, { 1: "b", 2: "b" });
  assert.deepEqual([one.name, one.at, one.size, one.also, others.map(({ id }) => id)], ["b", [7.5, 0], 40, ["2"], ["3", "1.1", "1.2"]]);
});

test("names come and go with the zoom, and neighbors of a level are offered to merge", () => {
  const frame = { width: 800, height: 500 };
  assert.deepEqual(fitting(found, 15, frame).map(({ id }) => id), ["1", "2", "3"]);
  assert.deepEqual(fitting(found, 60, frame).map(({ id }) => id), ["1.1", "1.2"]);
  assert.deepEqual(nearestTo(found, found[0], 1).map(({ id }) => id), ["3"]);
});

test("the name of a region stands in it, and no name of a part of it beside it", () => {
  const { geometry, paint } = figure();
  const frame = { width: 800, height: 500, left: 20, right: 20, top: 20, bottom: 20 };
  const transform = transformOf(homeOf(geometry.bounds), geometry.bounds, frame);
  const grid = gridOf(geometry.points, 2, transform, frame.width, frame.height);
  const regions = [region("1", "large", 0, 0, 3, 90, 100), region("1.1", "part", 1, 1, 2, 40, 101), region("2", "", 5, 5, 3, 9, 102), region("9", "far", 900, 0, 3, 9, 100)];
  const measure = (text, size) => text.length * size * 0.5;
  const labels = labelsOf({ geometry, paint, grid, transform, frame, zoom: 1, chosen: -1, neighbors: [], hits: [], reserved: [], regions: renamed(regions, {}), measure });
  const names = labels.filter(({ kind }) => kind === "region");
  assert.deepEqual(names.map(({ id, text }) => [id, text]), [["r1", "large"]]);
});
