import assert from "node:assert/strict";
import { test } from "node:test";
import { base64Of, bitsOf, combined, drawable, maskOf, messageOf, rowsInBox, rowsWithin } from "../../embedviz/figures/scatter/selection.mjs";
import { bytesOf } from "../../embedviz/figures/web/numbers.mjs";
import { dice } from "./sample.mjs";

function scene(seed, corners) {
  const { uniform } = dice(seed);
  const polygon = Array.from({ length: 2 * corners }, (_, k) => (uniform() * 1.2 - 0.1) * (k % 2 ? 90 : 120));
  const screen = new Float32Array(10_000).map((_, k) => uniform() * (k % 2 ? 90 : 120));
  return { polygon, screen, inside: Uint32Array.from({ length: 5000 }, (_, row) => row) };
}

/** Whether a closed polygon winds around a point, by the sum of the angles it turns about it. */
function winds(polygon, x, y) {
  let turned = 0;
  for (let k = 0; k < polygon.length; k += 2) {
    const next = (k + 2) % polygon.length;
    const [one, other] = [k, next].map((at) => Math.atan2(polygon[at + 1] - y, polygon[at] - x));
    turned += ((((other - one + Math.PI) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI)) - Math.PI;
  }
  return Math.abs(turned) > Math.PI;
}

for (const [seed, corners] of [[1, 3], [2, 4], [3, 7], [4, 40], [5, 200]]) {
  test(`a lasso of ${corners} corners holds the points that its line winds around`, () => {
    const { polygon, screen, inside } = scene(seed, corners);
    const expected = [...inside].filter((row) => winds(polygon, screen[2 * row], screen[2 * row + 1]));
    assert.ok(expected.length > 100);
    assert.deepEqual(rowsWithin(polygon, { screen, inside }, 120, 90), expected);
  });
}

test("a lasso of no area and one beyond the map hold nothing", () => {
  const grid = scene(9, 3);
  const counts = [[10, 10, 60, 10], [-50, -50, -10, -50, -10, -10], [-50, -50, 500, -50, 500, 500, -50, 500]].map((polygon) => rowsWithin(polygon, grid, 120, 90).length);
  assert.deepEqual(counts, [0, 0, 5000]);
});

test("a box holds what lies in it", () => {
  const { screen, inside } = scene(3, 3);
  const within = (row) => screen[2 * row] >= 20 && screen[2 * row] <= 70 && screen[2 * row + 1] >= 30 && screen[2 * row + 1] <= 50;
  assert.deepEqual(rowsInBox({ x: 20, y: 30, width: 50, height: 20 }, { screen, inside }), [...inside].filter(within));
});

for (const n of [1, 7, 8, 9, 1000, 100_003]) {
  test(`a bitset of ${n} rows comes back`, () => {
    const { uniform } = dice(n);
    const mask = Uint8Array.from({ length: n }, () => (uniform() < 0.5 ? 1 : 0));
    const bits = bytesOf(base64Of(bitsOf(mask)));
    assert.deepEqual([...maskOf(bits, n)], [...mask]);
    assert.equal(bits[0] & 1, mask[0]); // the lowest bit of a byte first, as numpy's "little"
  });
}

test("few rows are sent as rows and many as bits", () => {
  const of = (count) => {
    const { mask } = combined(null, Array.from({ length: count }, (_, k) => k), "new", 9000);
    const { indices, bits, ...rest } = messageOf({ id: "a", of: "g", mask, count });
    return [indices?.length ?? null, bits?.length ?? null, rest];
  };
  assert.deepEqual(of(0), [0, null, { id: "a", of: "g", count: 0 }]);
  assert.deepEqual([5000, 5001].map((count) => of(count).slice(0, 2)), [[5000, null], [null, 1500]]);
});

test("rows are added and taken away", () => {
  let mask = null;
  const steps = [[[1, 2], "add"], [[2, 3], "add"], [[1], "take"], [[7], "new"], [[7, 8], "take"]].map(([rows, how]) => {
    const made = combined(mask, rows, how, 9);
    mask = made.mask;
    return [made.count, [...mask.keys()].filter((row) => mask[row])];
  });
  assert.deepEqual(steps, [[2, [1, 2]], [3, [1, 2, 3]], [2, [2, 3]], [1, [7]], [0, []]]);
});

for (const [kind, codes, kept] of [["category", [0, 1, 2, 255], [0, 1, 2, 255]], ["value", [0, 1, 254, 255], [0, 1, 253, 255]], ["plain", null, [0, 0, 0, 0]]]) {
  test(`the unselected of a ${kind} coloring are greyed and the selected keep their color`, () => {
    const paint = { kind, labels: ["a", "b", "c"], codes: codes && Uint8Array.from(codes), low: 0, high: 1 };
    const [all, none] = [Uint8Array.of(1, 1, 1, 1), new Uint8Array(4)].map((mask) => drawable(paint, mask));
    assert.deepEqual([[...all.codes], all.colored], [kept, codes ? 3 : 4]);
    assert.deepEqual([[...none.codes], none.colored], [[254, 254, 254, 254], 0]);
    const unselected = drawable(paint, null).codes;
    assert.deepEqual(unselected && [...unselected], codes && kept);
  });
}
