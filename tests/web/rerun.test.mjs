import assert from "node:assert/strict";
import { test } from "node:test";
import { Recording, RunReel, recordingOf } from "../../embedviz/figures/scatter/rerun.mjs";

globalThis.requestAnimationFrame = () => 1;
globalThis.cancelAnimationFrame = () => {};

const points = (step, n = 3) => new Float32Array(2 * n).fill(step);

test("a recording has each step once, in order, and what lies between two of them", () => {
  const recording = new Recording();
  for (const step of [10, 30, 20, 30]) recording.add(points(step), step);
  assert.deepEqual(recording.steps, [10, 20, 30]);
  assert.equal(recording.add(points(40, 4), 40), false); // another number of points
  assert.deepEqual([...recording.at(15)], [...points(15)]);
  assert.deepEqual([...recording.at(5)], [...points(10)]);
  assert.deepEqual([...recording.at(99)], [...points(30)]);
  assert.equal(recordingOf("one"), recordingOf("one"));
  assert.notEqual(recordingOf("one"), recordingOf("other"));
});

test("a long recording lets every second frame go, and never the last", () => {
  const recording = new Recording();
  for (let step = 1; step <= 1001; step++) recording.add(points(step), step);
  assert.ok(recording.steps.length <= 240 && recording.steps.length > 100);
  assert.equal(recording.steps[0], 1);
  assert.equal(recording.last, 1001);
  assert.deepEqual(recording.steps, recording.steps.toSorted((a, b) => a - b));
  assert.ok(recording.steps.every((step, place) => recording.frames[place][0] === step));
});

test("a run is followed until it is paused, and again once its newest step is caught up with", () => {
  const reel = new RunReel();
  [reel.live, reel.following] = [true, true];
  reel.grow([10, 20]);
  reel.grow([10, 20, 30]);
  assert.deepEqual([reel.at, reel.epoch], [2, 30]);
  reel.rest();
  reel.grow([10, 20, 30, 40]);
  assert.deepEqual([reel.following, reel.epoch], [false, 30]);
  reel.grow([10, 30, 40, 50]); // thinned: the step that is shown stays
  assert.deepEqual([reel.at, reel.epoch], [1, 30]);
  reel.go(3);
  reel.play();
  reel.grow([10, 30, 40, 50, 60]);
  assert.deepEqual([reel.following, reel.epoch], [true, 60]);
  reel.live = false;
  reel.rest();
  assert.equal(reel.following, false);
});
