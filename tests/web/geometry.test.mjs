import assert from "node:assert/strict";
import { test } from "node:test";
import { boundsOf, crosses, homeOf, projected, reachOf, roomAround, transformOf, unprojected, zoomed } from "../../embedviz/figures/scatter/geometry.mjs";
import { nearest } from "../../embedviz/figures/scatter/grid.mjs";
import { dice, gridOf } from "./sample.mjs";

const frame = { width: 600, height: 400, left: 0, right: 0, top: 0, bottom: 0 };

function close(got, expected, slack = 1e-6) {
  got.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) <= slack * Math.max(1, Math.abs(expected[i])), `${got} is not ${expected}`));
}

test("a camera keeps the aspect and shows everything", () => {
  const bounds = { minX: -4, maxX: 4, minY: -1, maxY: 1 };
  const t = transformOf(homeOf(bounds), bounds, { width: 500, height: 400, left: 50, right: 50, top: 20, bottom: 20 });
  close([t.k, t.x - 4 * t.k, t.x + 4 * t.k, t.y], [50, 50, 450, 200]);
});

test("zooming leaves the point under the cursor where it is", () => {
  const bounds = { minX: 0, maxX: 10, minY: 0, maxY: 10 };
  let camera = homeOf(bounds);
  const at = transformOf(camera, bounds, frame);
  const [x, y] = [(130 - at.x) / at.k, (at.y - 310) / at.k];
  for (const factor of [1.7, 3, 0.4]) camera = zoomed(camera, transformOf(camera, bounds, frame), 130, 310, factor);
  const after = transformOf(camera, bounds, frame);
  close([after.x + after.k * x, after.y - after.k * y, camera.zoom], [130, 310, 1.7 * 3 * 0.4]);
});

test("one point and no extent still have a camera", () => {
  const bounds = { minX: 3, maxX: 3, minY: 2, maxY: 2 };
  const t = transformOf(homeOf(bounds), bounds, frame);
  close([t.x + t.k * 3, t.y - t.k * 2], [300, 200]);
});

test("points in depth come back from pixels and keep before the camera", () => {
  const bounds = { minX: -1, maxX: 3, minY: -2, maxY: 2, minZ: 0, maxZ: 4, radius: 3.5 };
  for (const [yaw, pitch, zoom] of [[0, 0, 1], [1.1, 0.4, 3], [-2.8, -1.5, 400]]) {
    const at = transformOf({ x: 3, y: 2, z: 4, yaw, pitch, zoom }, bounds, frame);
    for (const p of [[-1, -2, 0], [3, 2, 4], [1, 0.3, 2.2]]) {
      const away = at.away[0] * p[0] + at.away[1] * p[1] + at.away[2] * p[2] + at.away[3];
      assert.ok(away > 0.2);
      close(unprojected(at, ...projected(at, ...p), (1 - away) * at.deep), p);
    }
  }
});

test("a ball fills the picture and no point leaves it however it is turned", () => {
  const points = new Float32Array(3000);
  for (let i = 0; i < 1000; i++) {
    const [a, b] = [i * 2.399963, Math.acos(1 - (2 * (i + 0.5)) / 1000)];
    points.set([Math.cos(a) * Math.sin(b), Math.sin(a) * Math.sin(b), Math.cos(b)], 3 * i);
  }
  const bounds = boundsOf(points, 3);
  for (const [yaw, pitch] of [[0, 0], [0.7, 0.3], [2, -1.2]]) {
    const grid = gridOf(points, 3, transformOf({ ...homeOf(bounds), yaw, pitch }, bounds, frame), 600, 400);
    const ys = [...grid.screen].filter((_, i) => i % 2);
    assert.equal(grid.inside.length, 1000);
    assert.ok(Math.min(...ys) >= 0 && Math.min(...ys) < 12);
    assert.ok(Math.max(...ys) > 388 && Math.max(...ys) <= 400);
  }
});

test("a movie in depth fills its picture whatever one word does", () => {
  const { normal } = dice(5);
  const frames = Float32Array.from({ length: 2 * 500 * 3 }, normal);
  for (const start of [0, 1500]) frames.set([20, 20, 20], start);
  const bounds = boundsOf(frames, 3);
  const reach = reachOf(frames, 2, bounds);
  assert.ok(reach > 0 && reach < bounds.radius);
});

test("a line crosses a rectangle or not", () => {
  const rect = { x: 4, y: 4, width: 4, height: 3 };
  const lines = [[0, 0, 10, 10, true], [0, 0, 3, 10, false], [5, 5, 6, 6, true], [0, 8, 20, 8, false], [0, 5, 20, 5, true]];
  for (const [x0, y0, x1, y1, expected] of lines) assert.equal(crosses(x0, y0, x1, y1, rect), expected);
});

test("the grid finds the point that a full search finds", () => {
  const { uniform } = dice(7);
  const points = Float32Array.from({ length: 4000 }, () => 10 * uniform());
  const grid = gridOf(points, 2, { across: [40, 0, 0, 10], down: [0, -40, 0, 405], away: [0, 0, 0, 1], deep: 0 }, 420, 410);
  for (let k = 0; k < 300; k++) {
    const [px, py] = [(k * 37) % 420, (k * 53) % 410];
    let [best, least] = [-1, 12];
    for (let i = 0; i < 2000; i++) {
      const far = Math.hypot(grid.screen[2 * i] - px, grid.screen[2 * i + 1] - py);
      if (far < least) [best, least] = [i, far];
    }
    assert.equal(nearest(grid, px, py, 12), best);
  }
});

test("rings about points that lie close together are smaller, within their range", () => {
  const range = { least: 3.5, most: 6.5 };
  assert.equal(roomAround([], range), 6.5);
  assert.equal(roomAround([[0, 0]], range), 6.5);
  assert.equal(roomAround([[0, 0], [10, 0], [20, 0]], range), 5);
  assert.equal(roomAround([[0, 0], [1, 0], [40, 0]], range), 3.5);
  assert.equal(roomAround([[0, 0], [100, 0]], range), 6.5);
});
