import assert from "node:assert/strict";
import { test } from "node:test";
import { shuffled, unpack } from "../../embedviz/figures/scatter/data.mjs";
import { plain } from "../../embedviz/figures/scatter/legend.mjs";
import { lookOf, paletteOf } from "../../embedviz/figures/scatter/palette.mjs";
import { Cutter } from "../../embedviz/figures/scatter/stream.mjs";
import { THEMES } from "../../embedviz/figures/scatter/theme.mjs";
import { luminance, rgb } from "../../embedviz/figures/web/colors.mjs";
import { wrapped } from "../../embedviz/figures/web/lines.mjs";
import { decimal } from "../../embedviz/figures/web/numbers.mjs";
import { few } from "./sample.mjs";

const lookAt = (bg) => lookOf((name) => (name === "--st-background-color" ? bg : ""));

test("bytes that are no map are refused", () => {
  assert.throws(() => unpack(new ArrayBuffer(64)), /These bytes are no map/);
});

test("the random order is a permutation whose start is a fair sample", () => {
  const order = [...shuffled(10_000)];
  assert.deepEqual(order.toSorted((a, b) => a - b), [...Array(10_000).keys()]);
  assert.ok(Math.abs(order.slice(0, 2500).reduce((sum, row) => sum + row) / 2500 / 4999.5 - 1) < 0.05);
  assert.deepEqual(order, [...shuffled(10_000)]);
});

test("frames are cut from pieces of any size", () => {
  const frames = [[1, 2, 3], [], [4], [5, 6, 7, 8, 9]];
  const bytes = Uint8Array.from([...frames.flatMap((frame) => [frame.length, 0, 0, 0, ...frame]), 1, 0, 0]);
  for (const piece of [1, 3, 7, bytes.length]) {
    const cutter = new Cutter();
    const got = [];
    for (let at = 0; at < bytes.length; at += piece) got.push(...cutter.take(bytes.subarray(at, at + piece)));
    assert.deepEqual(got.map((frame) => [...new Uint8Array(frame)]), frames.filter((frame) => frame.length));
    assert.equal(cutter.held, 3);
  }
});

test("numbers are written as readers write them", () => {
  const written = [[0.4249, 1], [-0.12, 2], [21719, 21719], [-0.001, 1.5], [3, 4], [12.34, 50]].map(([value, span]) => plain(value, span));
  assert.deepEqual(written, ["0.42", "−0.12", "21,719", "0.00", "3", "12.3"]);
  assert.deepEqual([decimal(-0.001), decimal(-0.25, 1), decimal(3.14159)], ["0.00", "−0.3", "3.14"]);
});

test("text is wrapped, and a word that is wider than a line is broken", () => {
  const context = { measureText: (text) => ({ width: text.length }) };
  assert.deepEqual(wrapped(context, "one two three incomprehensible", 7), ["one two", "three", "incompr", "ehensib", "le"]);
});

test("the palette follows the theme", () => {
  const paint = { kind: "category", labels: ["a", "b"], low: 0, high: 0, diverging: false };
  for (const name of ["dark", "light"]) {
    const look = lookAt({ dark: "#14171A", light: "#FCFCFA" }[name]);
    const bytes = paletteOf(look, paint);
    assert.equal(look.name, name);
    assert.deepEqual([...bytes.slice(4, 8)], [...rgb(THEMES[name].categorical[1]), 255]);
    assert.deepEqual([...bytes.slice(255 * 4)], [...rgb(THEMES[name].rest), 204]);
  }
});

for (const bg of ["#FCFCFA", "#14171A"]) {
  test(`on ${bg} the grey rest is readable where points are few and context where they are many`, () => {
    const light = (color) => luminance(color) + 0.05;
    const page = rgb(bg);
    const contrasts = [1, 0.5, 0].map((share) => {
      const [r, g, b, a] = paletteOf(lookAt(bg), few(16).paint, share).slice(4 * 255);
      const seen = [r, g, b].map((value, i) => (value * a) / 255 + page[i] * (1 - a / 255));
      return Math.max(light(seen), light(page)) / Math.min(light(seen), light(page));
    });
    assert.ok(contrasts[0] >= 3 && contrasts[2] < 3);
    assert.ok(contrasts[0] > contrasts[1] && contrasts[1] > contrasts[2]);
  });
}
