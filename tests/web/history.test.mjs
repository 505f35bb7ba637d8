import assert from "node:assert/strict";
import { test } from "node:test";
import { withDensity, checksum } from "../../embedviz/figures/web/png.mjs";
import { reachOf, roomOf } from "../../embedviz/figures/scatter/geometry.mjs";
import { Past } from "../../embedviz/figures/scatter/history.mjs";
import { turnedOn } from "../../embedviz/figures/scatter/turntable.mjs";
import { middles } from "../../embedviz/figures/scatter/walking.mjs";
import { dice, geometryOf, paintOf } from "./sample.mjs";

const at = (x, selection = null) => ({ camera: { x, y: 0, zoom: 1 }, selection });

test("undo goes back step by step, redo forward; what is new forgets what was undone", () => {
  const past = new Past();
  const selection = { id: "s", of: "g", mask: Uint8Array.of(1), count: 1 };
  for (const moment of [at(0), at(0), at(1), at(1, selection)]) past.note(moment);
  assert.equal(past.moments.length, 3);
  assert.equal(past.go(1), null);
  assert.deepEqual(past.go(-1), at(1));
  past.note(at(1)); // what came to rest there
  assert.deepEqual(past.go(1), at(1, selection));
  past.go(-1);
  past.go(-1);
  assert.equal(past.go(-1), null);
  past.note(at(5));
  assert.deepEqual([past.after, past.moments.length], [false, 2]);
});

test("a class is stood for by the point nearest to its middle, if it is drawn", () => {
  const geometry = geometryOf(Float32Array.of(0, 0, 1, 0, 5, 0, 9, 9, 8, 8));
  const paint = paintOf("category", Uint8Array.of(0, 0, 0, 1, 255), ["a", "b"]);
  assert.deepEqual(middles(geometry, paint, () => true), [{ label: "a", row: 1, count: 3 }, { label: "b", row: 3, count: 1 }]);
  assert.deepEqual(middles(geometry, paint, (row) => row > 1 && row < 3), [{ label: "a", row: 2, count: 1 }]);
});

test("a turn is slow and comes round", () => {
  const camera = { x: 1, y: 2, z: 3, zoom: 2, yaw: 3.1, pitch: 0.3 };
  const later = turnedOn(camera, 1);
  assert.ok(Math.abs(later.yaw - (3.3 - 2 * Math.PI)) < 1e-9);
  assert.deepEqual({ ...later, yaw: 3.1 }, camera);
});

test("points with depth fill the picture whatever lies far out", () => {
  const { normal } = dice(5);
  const points = Float32Array.from({ length: 600 }, normal);
  points.set([60, 0, 0]);
  const room = roomOf(points, 3);
  assert.ok(room.reach > reachOf(points, 1, room) && room.reach < 0.2 * room.radius);
  assert.equal(roomOf(points.subarray(0, 30), 3).reach, undefined);
  assert.equal(roomOf(points, 2).reach, undefined);
});

test("a PNG says how many dots an inch it has", () => {
  assert.equal(checksum(new TextEncoder().encode("123456789")), 0xcbf43926);
  const png = Uint8Array.from({ length: 60 }, (_, k) => k);
  const made = withDensity(png, 300);
  assert.deepEqual([...made.subarray(0, 33), ...made.subarray(54)], [...png]);
  const view = new DataView(made.buffer);
  assert.deepEqual([String.fromCharCode(...made.subarray(37, 41)), view.getUint32(41), made[49]], ["pHYs", 11811, 1]);
});
