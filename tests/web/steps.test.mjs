import assert from "node:assert/strict";
import { test } from "node:test";
import { ticksOf } from "../../embedviz/figures/scatter/player.mjs";
import { stepAt } from "../../pages/learn/pattern/places.mjs";

const columns = [
  { of: 1, name: "token", others: { head: 2 }, steps: { 0: "token 0", 5: "token 5" } },
  { of: 1, name: "head", others: { token: 5 }, steps: { 2: "token 5", 3: "head 3" } },
];

test("a step stands in the column of the slider that moved alone", () => {
  assert.equal(stepAt(columns, 1, { token: 0, head: 2 }), "token 0");
  assert.equal(stepAt(columns, 1, { token: 5, head: 3 }), "head 3");
  assert.equal(stepAt(columns, 1, { token: 5, head: 2 }), "token 5");
});

test("places that were not sent, and those of another figure, have no step", () => {
  assert.equal(stepAt(columns, 1, { token: 0, head: 3 }), undefined);
  assert.equal(stepAt(columns, 1, { token: 1, head: 2 }), undefined);
  assert.equal(stepAt(columns, 2, { token: 0, head: 2 }), undefined);
  assert.equal(stepAt([], 1, {}), undefined);
});

test("whole epochs stand under the slider where they were recorded, the first and the last among them", () => {
  assert.deepEqual(ticksOf([0, 0.5, 1, 1.5, 2]), [{ at: 0, text: "0" }, { at: 0.5, text: "1" }, { at: 1, text: "2" }]);
  assert.deepEqual(ticksOf([0, 0.25, 0.7]).map(({ text }) => text), ["0"]);
  const many = ticksOf(Array.from({ length: 101 }, (_, step) => step));
  assert.equal(many.at(-1).text, "100");
  assert.ok(many.every(({ at }, k) => k === 0 || at - many[k - 1].at >= 0.05));
  assert.deepEqual(ticksOf([0]), []);
});

test("numbers under the slider are regular: multiples of one number, and the last epoch", () => {
  const early = Array.from({ length: 21 }, (_, step) => step / 10); // two epochs with ten moments each
  const texts = ticksOf([...early, ...Array.from({ length: 15 }, (_, step) => step + 3)]).map(({ text }) => text);
  assert.deepEqual(texts, ["0", "2", "4", "6", "8", "10", "12", "14", "17"]);
});
