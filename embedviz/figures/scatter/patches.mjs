/** Find the main patch of a category's points, and the place of its label. */

import { crosses, gap } from "./geometry.mjs";
import { CELL, grown } from "./room.mjs";

/** @typedef {import("./geometry.mjs").Rect} Rect */
/** @typedef {import("./room.mjs").Occupancy} Occupancy */

const NEAR = 24; // pixels from a patch to its name without a line
const APART = 2.5; // radii from the middle of a patch to the points of another part
const LEAST_APART = 6; // fewest points of a part that gets the name once more
const LEAST_MEMBERS = 3; // fewer points in view are no group; each may get its own word

/**
 * Return the densest cluster of some points: its middle, the indices of its members, and their positions.
 * @param {number[]} xs @param {number[]} ys @param {number} radius
 * @returns {{x: number, y: number, members: number[], xs: number[], ys: number[]}}
 */
export function patchOf(xs, ys, radius) {
  const step = Math.max(Math.floor(xs.length / 400), 1); // a sample is enough to find the middle
  let [x, y, most] = [xs[0], ys[0], -1];
  for (let i = 0; i < xs.length; i += step) {
    let near = 0;
    for (let j = 0; j < xs.length; j += step) if ((xs[i] - xs[j]) ** 2 + (ys[i] - ys[j]) ** 2 < radius ** 2) near++;
    if (near > most) [x, y, most] = [xs[i], ys[i], near];
  }
  /** @type {number[]} */
  let members = [];
  for (let round = 0; round < 4; round++) {
    members = [];
    for (let i = 0; i < xs.length; i++) if ((xs[i] - x) ** 2 + (ys[i] - y) ** 2 < radius ** 2) members.push(i);
    x = members.reduce((sum, i) => sum + xs[i], 0) / members.length;
    y = members.reduce((sum, i) => sum + ys[i], 0) / members.length;
  }
  return { x, y, members, xs: members.map((i) => xs[i]), ys: members.map((i) => ys[i]) };
}

/** @typedef {ReturnType<typeof patchOf>} Patch */

/** Return the index of the member that lies nearest to the middle. @param {Patch} patch */
export function middleOf({ x, y, members, xs, ys }) {
  const far = xs.map((across, i) => Math.hypot(across - x, ys[i] - y));
  return members[far.indexOf(Math.min(...far))];
}

/** Return the patch of a category, with a larger radius if points are sparse; null if points are too few or each lies alone. @param {number[]} xs @param {number[]} ys @param {number} radius @returns {Patch | null} */
export function gathered(xs, ys, radius) {
  if (xs.length < LEAST_MEMBERS) return null;
  const patch = patchOf(xs, ys, radius);
  if (patch.xs.length >= LEAST_MEMBERS) return patch;
  const wide = patchOf(xs, ys, 2.5 * radius);
  return wide.xs.length > 1 ? wide : null;
}

/**
 * Return a second patch of a category, far from the first, with a gap between them, and about as large; null if there
 * is none.
 * @param {{xs: number[], ys: number[]}} group @param {Patch} first @param {number} radius @returns {Patch | null}
 */
export function apart({ xs, ys }, first, radius) {
  const far = xs.map((_, i) => i).filter((i) => Math.hypot(xs[i] - first.x, ys[i] - first.y) > APART * radius);
  if (far.length < LEAST_APART) return null;
  const part = patchOf(far.map((i) => xs[i]), far.map((i) => ys[i]), radius);
  if (part.xs.length < Math.max(LEAST_APART, 0.6 * first.xs.length) || joined(xs, ys, first, part, radius)) return null;
  return { ...part, members: part.members.map((i) => far[i]) };
}

/** Return whether points of a category lead from one patch to another without a gap of a radius. @param {number[]} xs @param {number[]} ys @param {Patch} first @param {{x: number, y: number}} part @param {number} radius */
function joined(xs, ys, first, part, radius) {
  const step = Math.max(Math.floor(xs.length / 400), 1); // a sample is enough if there are many points
  const sample = xs.map((_, i) => i).filter((i) => i % step === 0);
  const reached = new Set(sample.filter((i) => Math.hypot(xs[i] - first.x, ys[i] - first.y) < radius));
  for (const i of reached) {
    if (Math.hypot(xs[i] - part.x, ys[i] - part.y) < radius) return true;
    for (const j of sample) if (!reached.has(j) && Math.hypot(xs[i] - xs[j], ys[i] - ys[j]) < radius) reached.add(j);
  }
  return false;
}

/** Return whether two lines cross. @param {number[]} one @param {number[]} other */
function cross([ax, ay, bx, by], [cx, cy, dx, dy]) {
  /** @param {number} px @param {number} py @param {number} qx @param {number} qy @param {number} x @param {number} y */
  const side = (px, py, qx, qy, x, y) => Math.sign((qx - px) * (y - py) - (qy - py) * (x - px));
  return side(ax, ay, bx, by, cx, cy) !== side(ax, ay, bx, by, dx, dy) && side(cx, cy, dx, dy, ax, ay) !== side(cx, cy, dx, dy, bx, by);
}

/** Return the distance from a rectangle to the nearest of some points. @param {Rect} rect @param {{xs: number[], ys: number[]}} patch */
function gapTo(rect, patch) {
  let least = Infinity;
  for (let i = 0; i < patch.xs.length; i++) least = Math.min(least, gap(rect, patch.xs[i], patch.ys[i]));
  return least;
}

/**
 * Return whether a name lies at points of its category and nearer to them than to any other, so that it needs no line.
 * @param {Rect} rect @param {{xs: number[], ys: number[]}} group @param {{xs: number[], ys: number[]}[]} others
 */
export function atOwn(rect, group, others) {
  const own = gapTo(rect, group);
  return own <= NEAR && others.every((other) => gapTo(rect, other) > own);
}

/** Return whether a patch has more points than the other patches have within it. @param {Patch} patch @param {Patch[]} others */
function isClear(patch, others) {
  const reach = Math.max(...patch.xs.map((x, i) => Math.hypot(x - patch.x, patch.ys[i] - patch.y)));
  const within = (other) => other.xs.filter((x, i) => Math.hypot(x - patch.x, other.ys[i] - patch.y) <= reach).length;
  return others.reduce((sum, other) => sum + within(other), 0) < patch.xs.length;
}

/** Return how many colored points lie under a line to a patch, before the line reaches the patch. */
function foreign(x, y, patch, room) {
  const far = Math.hypot(x - patch.x, y - patch.y);
  const reach = Math.max(...patch.xs.map((px, i) => Math.hypot(px - patch.x, patch.ys[i] - patch.y)));
  let sum = 0;
  for (let at = reach; at < far; at += CELL) {
    const share = at / far;
    sum += room.covered({ x: patch.x + (x - patch.x) * share - 2, y: patch.y + (y - patch.y) * share - 2, width: 4, height: 4 });
  }
  return sum / 4;
}

/**
 * Return where the name of a category stands: around its patch, where it covers the fewest colored points and lies
 * nearer to its own patch than to any other. A patch that others do not crowd may have its name farther out, at the end
 * of a line that crosses no label and no other line. Without a place, return null. No name stands on the line of
 * another name.
 * @param {Patch} patch @param {Patch[]} others @param {number} width @param {number} height
 * @param {Occupancy} room @param {Rect[]} labels @param {number[][]} lines of the names so far @param {boolean} dense whether colored points lie everywhere
 * @returns {{rect: Rect, leader: boolean} | null}
 */
export function placeName(patch, others, width, height, room, labels, lines, dense) {
  /** @type {{rect: Rect, leader: boolean} | null} */
  let best = null;
  let least = Infinity;
  const clear = dense || isClear(patch, others);
  const consider = (x, y, leader) => {
    const rect = { x: x - width / 2, y: y - height / 2, width, height };
    if (!room.free(grown(rect, 3, 1), 0)) return;
    if (lines.some((line) => crosses(line[0], line[1], line[2], line[3], grown(rect, 2)))) return;
    const covered = dense ? 0 : room.covered(grown(rect, 4, 1));
    const far = Math.hypot(x - patch.x, y - patch.y);
    let cost = 8 * covered + (leader ? 24 + 0.3 * far : 0.15 * far);
    if (cost >= least) return;
    if (leader && !dense) cost += 4 * foreign(x, y, patch, room);
    if (cost >= least) return;
    if (leader) {
      if (labels.some((label) => crosses(x, y, patch.x, patch.y, grown(label, 2)))) return;
      if (lines.some((line) => cross([x, y, patch.x, patch.y], line))) return;
    } else if (!dense || far > 1) {
      const own = gapTo(rect, patch);
      if (own > NEAR || others.some((other) => gapTo(rect, other) <= own)) return;
    }
    [best, least] = [{ rect, leader }, cost];
  };
  if (dense) consider(patch.x, patch.y, false);
  for (let turn = 0; turn < 24; turn++) {
    const [ux, uy] = [Math.cos((turn / 24) * 2 * Math.PI), Math.sin((turn / 24) * 2 * Math.PI)];
    let reach = 0;
    for (let i = 0; i < patch.xs.length; i++) {
      reach = Math.max(reach, (patch.xs[i] - patch.x) * ux + (patch.ys[i] - patch.y) * uy);
    }
    const half = Math.min(width / 2 / Math.max(Math.abs(ux), 1e-6), height / 2 / Math.max(Math.abs(uy), 1e-6));
    for (const away of [-12, -6, 0, 5, 12, 18]) {
      const far = reach + half + 5 + away;
      if (far > 0) consider(patch.x + ux * far, patch.y + uy * far, false);
    }
    for (let away = 28; clear && away <= 150; away += 14) {
      const far = reach + half + away;
      consider(patch.x + ux * far, patch.y + uy * far, true);
    }
  }
  return best;
}
