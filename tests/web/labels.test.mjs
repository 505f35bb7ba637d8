import assert from "node:assert/strict";
import { test } from "node:test";
import { Fading } from "../../embedviz/figures/scatter/fading.mjs";
import { crosses, gap, meet } from "../../embedviz/figures/scatter/geometry.mjs";
import { apart, patchOf } from "../../embedviz/figures/scatter/patches.mjs";
import { smoothed } from "../../embedviz/figures/scatter/film.mjs";
import { namesOf } from "../../embedviz/figures/scatter/trails.mjs";
import { REST, few, figure, laidOut, overlap } from "./sample.mjs";

const gapOf = (rect, grid, row) => gap(rect, grid.screen[2 * row], grid.screen[2 * row + 1]);

for (const n of [250, 400, 5000]) {
  test(`labels of ${n} points never pile up nor leave the picture nor cover a colored point`, () => {
    const map = figure(n);
    const { labels, rects, grid } = laidOut(map, 0, [1, 2, 3]);
    rects.forEach((a, i) => {
      assert.ok(a.x >= 0 && a.y >= 0 && a.x + a.width <= 800 && a.y + a.height <= 500, labels[i].text);
      assert.ok(!rects.some((b, k) => k > i && overlap(a, b)), labels[i].text);
      if (labels[i].kind !== "word") return;
      for (let row = 0; row < n; row++) assert.ok(map.paint.codes[row] === REST || gapOf(a, grid, row) >= 1, labels[i].text);
    });
    const texts = (kind) => labels.filter((label) => label.kind === kind).map((label) => label.text);
    assert.equal(labels[0].kind, "chosen");
    if (n < 400) return;
    assert.deepEqual(texts("name").sort(), ["Animals", "Food and drink", "Music"]);
    assert.ok(texts("word").length > 10);
  });
}

test("every neighbor of the chosen word is named, among many points too", () => {
  for (const n of [400, 5000]) {
    const near = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    const { labels, rects } = laidOut(figure(n), 1, near);
    const named = labels.filter(({ kind }) => kind === "neighbor").map(({ row }) => row);
    assert.deepEqual(named.sort((a, b) => a - b), near);
    rects.forEach((a, i) => assert.ok(!rects.some((b, k) => k > i && overlap(a, b)), labels[i].text));
  }
});

test("no line crosses a label, on a narrow map with groups and neighbors too", () => {
  for (let seed = 1; seed < 40; seed++) {
    const { labels, rects, lines } = laidOut(figure(300, seed), seed % 3 ? 1 : -1, seed % 3 ? [2, 3, 4, 5, 25, 45] : [], { width: 360, height: 300 });
    lines.forEach((line, i) => {
      if (!line) return;
      rects.forEach((rect, k) => assert.ok(k === i || !crosses(...line, rect), `${seed}: the line of ${labels[i].text} crosses ${labels[k].text}`));
    });
  }
});

for (const kind of ["category", "value"]) {
  for (const [chosen, neighbors] of [[-1, []], [0, [1, 2, 9]]]) {
    for (const n of [6, 16, 40]) {
      test(`of ${n} points (${kind}, chosen ${chosen}) every one is named and nothing is covered`, () => {
        const { labels, rects, lines, grid } = laidOut(few(n, kind), chosen, neighbors);
        rects.forEach((a, i) => {
          for (let row = 0; row < n; row++) assert.ok(gapOf(a, grid, row) >= 2, labels[i].text);
          rects.forEach((b, k) => {
            if (k === i) return;
            assert.ok(!overlap(a, b), `${labels[i].text} and ${labels[k].text}`);
            assert.ok(!lines[k] || !crosses(...lines[k], a), `the line of ${labels[k].text} crosses ${labels[i].text}`);
            assert.ok(!lines[i] || !lines[k] || !meet(lines[i], lines[k]), `the lines of ${labels[i].text} and ${labels[k].text}`);
          });
        });
        const named = labels.map(({ row }) => row).filter((row) => row >= 0);
        assert.deepEqual(named.sort((a, b) => a - b), [...Array(n).keys()]);
      });
    }
  }
}

test("a group of fewer than three points is told by its word's color alone", () => {
  const { labels } = laidOut(few(16));
  assert.deepEqual(labels.filter(({ kind }) => kind === "name").map(({ text }) => text), ["Animals"]);
  const colored = labels.filter(({ code }) => code >= 0).map(({ text, code }) => [text, code]);
  assert.deepEqual(Object.fromEntries(colored), { Animals: 0, word5: 1 });
});

test("from few to many points the share of named ones falls without a leap", () => {
  const named = Object.fromEntries([60, 75, 85, 100, 400, 780, 820].map((n) => [n, laidOut(few(n, "value")).labels.filter(({ row }) => row >= 0).length]));
  assert.ok(named[60] / 60 > 0.6);
  assert.ok(Math.abs(named[85] - named[75]) <= 10);
  assert.ok(Math.abs(named[820] - named[780]) <= 15);
  const shares = [60, 100, 400, 820].map((n) => named[n] / n);
  assert.deepEqual(shares, shares.toSorted((a, b) => b - a));
});

test("a name without a line is nearest to its own patch", () => {
  const map = figure(900);
  const { labels, rects, grid } = laidOut(map);
  const patches = map.paint.labels.map((_, code) => {
    const rows = [...map.paint.codes.keys()].filter((row) => map.paint.codes[row] === code);
    return patchOf(rows.map((row) => grid.screen[2 * row]), rows.map((row) => grid.screen[2 * row + 1]), 45);
  });
  const names = labels.map((label, i) => ({ ...label, rect: rects[i] })).filter(({ kind, leader }) => kind === "name" && !leader);
  assert.ok(names.length);
  for (const { code, rect } of names) {
    const gaps = patches.map(({ xs, ys }) => Math.min(...xs.map((x, i) => gap(rect, x, ys[i]))));
    assert.equal(gaps.indexOf(Math.min(...gaps)), code);
  }
});

test("a category in two parts has a second patch, one in a single part or with few points elsewhere has none", () => {
  const cloud = (count, x) => Array.from({ length: count }, (_, i) => [x + 12 * Math.cos(2.4 * i), 100 + 12 * Math.sin(2.4 * i)]);
  const second = (points) => {
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    return apart({ xs, ys }, patchOf(xs, ys, 30), 30);
  };
  const part = second([...cloud(20, 100), ...cloud(12, 300)]);
  assert.ok(Math.abs(part.x - 300) < 5);
  assert.deepEqual(part.members, Array.from({ length: 12 }, (_, i) => 20 + i));
  assert.equal(second(cloud(30, 100)), null);
  assert.equal(second([...cloud(20, 100), ...cloud(5, 300)]), null);
  assert.equal(second([...cloud(20, 100), ...cloud(12, 300), ...Array.from({ length: 9 }, (_, i) => [120 + 20 * i, 100])]), null); // no gap
  assert.equal(second([...cloud(30, 100), ...cloud(8, 300)]), null);
});

test("the names of trails that end in one place all stand apart in the picture", () => {
  const heads = Array.from({ length: 7 }, (_, k) => [200 + 3 * k, 150]);
  const rects = namesOf(heads, [40, 52, 44, 60, 48, 50, 38], { width: 400, height: 300 });
  rects.forEach((one, place) => {
    assert.ok(one.x >= 0 && one.x + one.width <= 400 && one.y >= 0 && one.y + one.height <= 300);
    assert.ok(!rects.slice(0, place).some((other) => overlap(one, other)));
  });
});

test("the name of a trail keeps clear of the points beside its head", () => {
  const rects = (points) => namesOf([[200, 150]], [40], { width: 400, height: 300 }, points);
  const [[right], [left]] = [rects([]), rects([[215, 150], [240, 152]])];
  assert.ok(right.x > 200);
  assert.ok(left.x + left.width < 200);
});

test("a smoothed trail keeps its ends, and jitter shortens it", () => {
  const path = Float32Array.from({ length: 82 }, (_, at) => (at % 2 ? Math.cos(9 * at) : at / 2));
  const lengthOf = (line) => {
    let sum = 0;
    for (let at = 2; at < line.length; at += 2) sum += Math.hypot(line[at] - line[at - 2], line[at + 1] - line[at - 1]);
    return sum;
  };
  const smooth = smoothed(path, 2, 5);
  assert.deepEqual([...smooth.slice(0, 2), ...smooth.slice(-2)], [...path.slice(0, 2), ...path.slice(-2)]);
  assert.ok(lengthOf(smooth) < 0.9 * lengthOf(path));
  assert.deepEqual(smoothed(path.slice(0, 4), 2, 5), path.slice(0, 4));
});

test("labels come in quietly, those asked for at once, and words go when the map shrinks", () => {
  const fading = new Fading();
  const label = (id, kind) => ({ id, kind, dx: 0, dy: 0, row: 1 });
  fading.take([label("a", "word"), label("b", "chosen")], 2, 1000, false);
  assert.deepEqual(fading.seen(2, 1000).map(({ label: { id }, opacity }) => [id, opacity]), [["b", 1]]);
  assert.deepEqual(fading.seen(2, 1080).map(({ opacity }) => opacity), [0.5, 1]);
  assert.ok(fading.changes(1080) && !fading.changes(1300));
  fading.take([label("a", "word")], 2, 1080, false);
  assert.equal(fading.seen(2, 1080)[0].opacity, 0.5); // it goes on where it was
  assert.deepEqual(fading.seen(1, 2000), []);
});
