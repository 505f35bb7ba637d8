import assert from "node:assert/strict";
import { test } from "node:test";
import { READINGS } from "../../pages/learn/pattern/readings.mjs";
import { cosine, foot, inBox, stepped, turned, windowAround, windowOn, within } from "../../pages/learn/pattern/vectors.mjs";

const [a, b] = [{ name: "a", at: [3, 4] }, { name: "b", at: [4, -3] }];

test("the formulas write the numbers of the vectors", () => {
  assert.equal(READINGS.lengths(a, b), "|a| = √(3.00² + 4.00²) = 5.00   |b| = √(4.00² + (−3.00)²) = 5.00");
  assert.equal(READINGS.dot(a, b), "Dot product: a · b = 3.00 × 4.00 + 4.00 × (−3.00) = 0.00");
  assert.equal(READINGS.cosine(a, { name: "b", at: [4, 3] }), "Cosine: cos(a, b) = a · b / (|a| |b|) = 24.00 / (5.00 × 5.00) = 0.96");
  assert.equal(READINGS.distance(a, b), "Distance: |a − b| = √((−1.00)² + 7.00²) = 7.07");
  assert.equal(READINGS.unit(a, b), "At length 1: d² = 2 − 2 cos = 2 − 2 × 0.000 = 2.000, d = 1.414");
  assert.match(READINGS.cosine(a, { name: "b", at: [0, 0] }), /not defined: b has no direction$/);
  const [anchor, near, far] = [[0, 0], [1, 0], [0, 1]].map((at, k) => ({ name: "apn"[k], at }));
  assert.equal(READINGS.triplet(anchor, near, far), "|a − p|² = 1.00   |a − n|² = 1.00   L = max(0, 1.00 − 1.00 + 1) = 1.00");
  [near.at, far.at] = [[1.00245, 0], [0, 1.0033]]; // with two decimals: 1.00 − 1.01 + 1, which is 0.99
  assert.match(READINGS.triplet(anchor, near, far), /max\(0, 1\.005 − 1\.007 \+ 1\) = 1\.00$/);
});

/** Calculate a written formula by hand: what stands between the last two signs of equality. @param {string} text */
const byHand = (text) => {
  const [formula, result] = text.replaceAll("−", "-").split(" = ").slice(-2);
  const value = Function(`return ${formula.replaceAll("×", "*").replaceAll("²", "**2").replace("√(", "Math.sqrt(")}`)();
  return [value.toFixed(2).replace("-0.00", "0.00"), result];
};

test("the numbers of a formula give its result, when calculated by hand", () => {
  const [piano, violin] = [{ name: "a", at: [1.1718, 0] }, { name: "b", at: [0.4834, 0.9525] }];
  assert.equal(READINGS.dot(piano, violin), "Dot product: a · b = 1.172 × 0.483 + 0.000 × 0.953 = 0.57");
  let longer = 0;
  for (let k = 1; k < 400; k++) {
    const [one, other] = [[Math.sin(k) * 2, Math.sin(7 * k) * 3], [Math.cos(3 * k), Math.cos(5 * k) * 2]].map((at, j) => ({ name: "ab"[j], at }));
    for (const name of ["dot", "cosine", "distance"]) {
      const text = READINGS[name](one, other);
      const [value, result] = byHand(text);
      assert.equal(value, result, text);
      longer += Number(/\d\.\d{3}/.test(text));
    }
  }
  assert.ok(longer > 100);
});

test("vectors are measured, turned and kept within the picture", () => {
  assert.equal(cosine([1, 0], [0, 0]), null);
  assert.deepEqual(foot([2, 0], [3, 5]), [3, 0]);
  assert.deepEqual(within([6, 8], 5), [3, 4]);
  assert.deepEqual(turned([0, 2], [3, 4]), [0, 5]);
  const [x, y] = windowOn(640, 400, 2).fromScreen(windowOn(640, 400, 2).toScreen([1.5, -0.5]));
  assert.ok(Math.abs(x - 1.5) < 1e-9 && Math.abs(y + 0.5) < 1e-9);
});

test("arrows fill a window that keeps the origin in sight", () => {
  const window = windowAround(600, 400, [[2, 0], [1, 1.5]], 50);
  assert.equal(window.scale, 200);
  assert.deepEqual([window.toScreen([0, 0]), window.toScreen([2, 0]), window.toScreen([1, 1.5])], [[100, 350], [500, 350], [300, 50]]);
  assert.deepEqual(window.fromScreen([500, 350]), [2, 0]);
  assert.deepEqual(inBox([-5, 399], 600, 400), [16, 384]);
});

test("arrow keys move a tip, or turn it", () => {
  assert.deepEqual(stepped([1, 1], "ArrowUp", 0.5), [1, 1.5]);
  assert.equal(stepped([1, 1], "Enter", 0.5), null);
  const [x, y] = stepped([2, 0], "ArrowLeft", 0.2, true);
  assert.ok(Math.abs(Math.hypot(x, y) - 2) < 1e-9 && Math.abs(Math.atan2(y, x) - 0.1) < 1e-9);
});
