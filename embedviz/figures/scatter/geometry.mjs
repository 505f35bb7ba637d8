/** Geometry of a map: bounds, camera, and the transform from data to pixels and back. */

import { clamp, mix } from "../web/numbers.mjs";

/**
 * @typedef {object} Bounds
 * @property {number} minX
 * @property {number} minY
 * @property {number} maxX
 * @property {number} maxY
 * @property {number} [minZ] only in three dimensions, as are `maxZ` and `radius`
 * @property {number} [maxZ]
 * @property {number} [radius] radius of the ball around the middle that contains all points
 * @property {number} [middleX] center of the ball, if it is not the middle of the bounds
 * @property {number} [middleY]
 * @property {number} [middleZ]
 * @property {number} [reach] radius of the ball that fills the picture, if some points lie outside it
 */
/** @typedef {{x: number, y: number, zoom: number, z?: number, yaw?: number, pitch?: number}} Camera center in data units, angles in radians; zoom 1 shows everything */
/** @typedef {{width: number, height: number, left: number, right: number, top: number, bottom: number, scale?: number}} Frame size and margins in CSS pixels, and by how much type is larger than usual */
/** @typedef {[number, number, number, number]} Row factors of x, y, z and 1 */
/**
 * The transform from data to pixels: (across·p / away·p, down·p / away·p).
 * @typedef {object} Transform
 * @property {number} k pixels per data unit, at the camera's center
 * @property {number} x where the data's origin falls; in three dimensions the camera's center
 * @property {number} y
 * @property {Row} across
 * @property {Row} down
 * @property {Row} away 1 everywhere in two dimensions; less for near points, never 0 within the bounds
 * @property {number} deep depth is (1 - away) times this; 0 in two dimensions
 * @property {Solid | null} solid what only three dimensions have
 */
/** @typedef {{right: number[], up: number[], toward: number[], center: number[], radius: number}} Solid the screen's directions in the data, unit vectors */
/** @typedef {{x: number, y: number, width: number, height: number}} Rect */

export const LEAST_ZOOM = 0.5;
export const MOST_ZOOM = 400;
const DISTANCE = 3.5; // of the camera, in radii: beyond 2, all points stay in front of it wherever it is panned
const FULL = 0.88; // share of a ball's radius that fills the picture: few points lie near the rim
const TURN = 0.005; // radians per pixel: half a turn takes 630 pixels
const FEW_DEEP = 50; // with fewer points, all are in the picture
const HOME_TURN = { yaw: -0.5, pitch: 0.35 };

/**
 * Return the bounds of some points; all zero if there are no points.
 * @param {Float32Array} points @param {number} stride 2 or 3 numbers per point
 * @returns {Bounds}
 */
export function boundsOf(points, stride) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let axis = 0; axis < stride; axis++) {
    let [least, most] = [Infinity, -Infinity];
    for (let i = axis; i < points.length; i += stride) {
      const value = points[i];
      if (value < least) least = value;
      if (value > most) most = value;
    }
    [low[axis], high[axis]] = least <= most ? [least, most] : [0, 0];
  }
  const [minX, minY, minZ] = low;
  const [maxX, maxY, maxZ] = high;
  if (stride < 3) return { minX, minY, maxX, maxY };
  const [x, y, z] = [(minX + maxX) / 2, (minY + maxY) / 2, (minZ + maxZ) / 2];
  let far = 0;
  for (let i = 0; i < points.length; i += 3) {
    far = Math.max(far, (points[i] - x) ** 2 + (points[i + 1] - y) ** 2 + (points[i + 2] - z) ** 2);
  }
  return { minX, minY, minZ, maxX, maxY, maxZ, radius: Math.sqrt(far) || 1 };
}

/**
 * Return the radius that fills the picture, for points that move in three dimensions. It is `FULL` times the radius that
 * holds 98 % of the points at every moment: a few points far out would make the others small.
 * @param {Float32Array} frames @param {number} moments how many @param {Bounds} bounds of all of them
 */
export function reachOf(frames, moments, bounds) {
  const { x, y, z } = homeOf(bounds);
  const size = frames.length / moments;
  const far = new Float32Array(size / 3);
  let reach = 0;
  for (let start = 0; start < frames.length; start += size) {
    for (let i = 0; i < far.length; i++) {
      const at = start + 3 * i;
      far[i] = (frames[at] - x) ** 2 + (frames[at + 1] - y) ** 2 + (frames[at + 2] - z) ** 2;
    }
    reach = Math.max(reach, far.sort()[Math.ceil(0.98 * far.length) - 1]);
  }
  return Math.min(FULL * Math.sqrt(reach) || bounds.radius, bounds.radius);
}

/**
 * Return the bounds of points that do not move. In three dimensions they have the median as center, and 98 % of the
 * points fill the picture: a few points far out would make the others small.
 * @param {Float32Array} points @param {number} stride @returns {Bounds}
 */
export function roomOf(points, stride) {
  const bounds = boundsOf(points, stride);
  if (!bounds.radius || points.length < 3 * FEW_DEEP) return bounds;
  const [middleX, middleY, middleZ] = [0, 1, 2].map((axis) => points.filter((_, i) => i % 3 === axis).sort()[Math.floor(points.length / 6)]);
  let far = 0;
  for (let i = 0; i < points.length; i += 3) far = Math.max(far, (points[i] - middleX) ** 2 + (points[i + 1] - middleY) ** 2 + (points[i + 2] - middleZ) ** 2);
  const room = { ...bounds, middleX, middleY, middleZ, radius: Math.sqrt(far) || 1 };
  return { ...room, reach: Math.min(reachOf(points, 1, room) / FULL, room.radius) };
}

/**
 * Return the area that most points take, in square data units: an ellipse of two standard deviations, from a sample.
 * @param {Float32Array} points @param {number} stride
 */
export function spreadOf(points, stride) {
  const n = points.length / stride;
  const step = Math.max(Math.floor(n / 20_000), 1);
  const deviations = [];
  for (let axis = 0; axis < stride; axis++) {
    let [sum, squares, taken] = [0, 0, 0];
    for (let i = 0; i < n; i += step, taken++) {
      sum += points[stride * i + axis];
      squares += points[stride * i + axis] ** 2;
    }
    deviations.push(Math.sqrt(Math.max(squares / taken - (sum / taken) ** 2, 0)) || 0);
  }
  const [x, y] = stride < 3 ? deviations : [Math.hypot(...deviations), Math.hypot(...deviations) / 3];
  return 4 * Math.PI * x * y;
}

/** Return the bounds between two bounds. @param {Bounds} from @param {Bounds} to @param {number} share 0 to 1 @returns {Bounds} */
export function mixedBounds(from, to, share) {
  const sides = /** @type {(keyof Bounds)[]} */ (Object.keys(to));
  return /** @type {Bounds} */ (Object.fromEntries(sides.map((side) => [side, mix(from[side] ?? to[side], to[side], share)])));
}

/**
 * Return the camera that sees new bounds as it saw the old: with the same zoom, as far from the middle of the screen.
 * @param {Camera} camera @param {Bounds} before @param {Bounds} after @param {Frame} frame @returns {Camera}
 */
export function carried(camera, before, after, frame) {
  const scale = fitOf(before, frame) / fitOf(after, frame);
  const [from, to] = [homeOf(before), homeOf(after)];
  const moved = (axis) => to[axis] + (camera[axis] - from[axis]) * scale;
  const flat = { ...camera, x: moved("x"), y: moved("y") };
  return after.radius ? { ...flat, z: moved("z") } : flat;
}

/** Return whether two layouts have the same bounds, so that one camera fits both. @param {Bounds} a @param {Bounds} b */
export function alike(a, b) {
  const slack = 1e-3 * Math.max(a.maxX - a.minX, a.maxY - a.minY);
  const sides = /** @type {(keyof Bounds)[]} */ (["minX", "minY", "minZ", "maxX", "maxY", "maxZ", "radius"]);
  return sides.every((side) => a[side] === b[side] || Math.abs(a[side] - b[side]) <= slack);
}

/** The camera that shows everything. @param {Bounds} bounds @returns {Camera} */
export function homeOf(bounds) {
  const { middleX = (bounds.minX + bounds.maxX) / 2, middleY = (bounds.minY + bounds.maxY) / 2 } = bounds;
  const flat = { x: middleX, y: middleY, zoom: 1 };
  return bounds.radius ? { ...flat, z: bounds.middleZ ?? (bounds.minZ + bounds.maxZ) / 2, ...HOME_TURN } : flat;
}

/** Return whether a value is a camera: finite numbers, and either z, yaw and pitch or none of them. @param {any} value @returns {value is Camera} */
export function isCamera(value) {
  if (typeof value !== "object" || value === null) return false;
  const named = ["x", "y", "zoom", ...("yaw" in value ? ["z", "yaw", "pitch"] : [])];
  return named.every((name) => Number.isFinite(value[name])) && value.zoom > 0;
}

/** Return whether a value is a camera with as many dimensions as the bounds. @param {any} value @param {Bounds} bounds @returns {value is Camera} */
export function suits(value, bounds) {
  return isCamera(value) && ("yaw" in value) === ("radius" in bounds);
}

/** @param {Camera} camera @param {Bounds} bounds */
export function isHome(camera, bounds) {
  const home = homeOf(bounds);
  const slack = 1e-4 * (bounds.maxX - bounds.minX + bounds.maxY - bounds.minY || 1);
  const near = (name, least) => Math.abs((camera[name] ?? 0) - (home[name] ?? 0)) < least;
  return near("zoom", 1e-3) && near("x", slack) && near("y", slack) && near("z", slack) && near("yaw", 1e-3) && near("pitch", 1e-3);
}

/** Return the pixels per data unit at zoom 1, the same on both axes. @param {Bounds} bounds @param {Frame} frame */
export function fitOf(bounds, frame) {
  const width = Math.max(frame.width - frame.left - frame.right, 1);
  const height = Math.max(frame.height - frame.top - frame.bottom, 1);
  if (bounds.radius) return (Math.min(width, height) / (2 * (bounds.reach ?? bounds.radius))) * Math.sqrt(1 - 1 / DISTANCE ** 2);
  const across = bounds.maxX - bounds.minX;
  const up = bounds.maxY - bounds.minY;
  const fit = Math.min(across > 0 ? width / across : Infinity, up > 0 ? height / up : Infinity);
  return Number.isFinite(fit) ? fit : 1;
}

/** @param {Camera} camera @param {Bounds} bounds @param {Frame} frame @returns {Transform} */
export function transformOf(camera, bounds, frame) {
  const k = fitOf(bounds, frame) * camera.zoom;
  const middleX = (frame.left + frame.width - frame.right) / 2;
  const middleY = (frame.top + frame.height - frame.bottom) / 2;
  if (bounds.radius) return turned(camera, bounds.radius, k, middleX, middleY);
  const [x, y] = [middleX - k * camera.x, middleY + k * camera.y];
  return { k, x, y, across: [k, 0, 0, x], down: [0, -k, 0, y], away: [0, 0, 0, 1], deep: 0, solid: null };
}

/**
 * The camera stays `DISTANCE` radii from its center. Zooming narrows its field of view and does not move the camera,
 * so no point of the bounds lies behind it.
 * @param {Camera} camera @param {number} radius @param {number} k @param {number} x @param {number} y @returns {Transform}
 */
function turned(camera, radius, k, x, y) {
  const [c, s, cp, sp] = [Math.cos(camera.yaw), Math.sin(camera.yaw), Math.cos(camera.pitch), Math.sin(camera.pitch)];
  const [right, up, toward] = [[c, 0, s], [sp * s, cp, -sp * c], [-cp * s, sp, cp * c]];
  const center = [camera.x, camera.y, camera.z];
  const far = DISTANCE * radius;
  /** @type {(v: number[], factor: number, rest: number) => Row} */
  const row = (v, factor, rest) => [factor * v[0], factor * v[1], factor * v[2], rest - factor * dot(v, center)];
  const away = row(toward, -1 / far, 1);
  /** @type {(r: Row, factor: number) => Row} */
  const and = (r, factor) => /** @type {Row} */ (r.map((value, i) => value + factor * away[i]));
  return {
    k,
    x,
    y,
    across: and(row(right, k, 0), x),
    down: and(row(up, -k, 0), y),
    away,
    deep: DISTANCE,
    solid: { right, up, toward, center, radius },
  };
}

/** @param {number[]} a @param {number[]} b */
function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** Return the position of a data point in pixels. @param {Transform} at @param {number} x @param {number} y @param {number} [z] @returns {[number, number]} */
export function projected(at, x, y, z = 0) {
  const of = (row) => row[0] * x + row[1] * y + row[2] * z + row[3];
  const away = of(at.away);
  return [of(at.across) / away, of(at.down) / away];
}

/**
 * Return the data point under a pixel.
 * @param {Transform} at @param {number} px @param {number} py
 * @param {number} [depth] toward the reader: 0 is the camera's center, 1 the front of the bounds; two dimensions have none
 * @returns {[number, number, number]}
 */
export function unprojected(at, px, py, depth = 0) {
  if (!at.solid) return [(px - at.x) / at.k, (at.y - py) / at.k, 0];
  const { right, up, toward, center, radius } = at.solid;
  const away = (1 - depth / at.deep) / at.k;
  const [across, above, near] = [(px - at.x) * away, (at.y - py) * away, depth * radius];
  return /** @type {[number, number, number]} */ (center.map((c, i) => c + across * right[i] + above * up[i] + near * toward[i]));
}

/** The camera moved by pixels. @param {Camera} camera @param {Transform} at @param {number} dx @param {number} dy @returns {Camera} */
export function panned(camera, at, dx, dy) {
  if (!at.solid) return { ...camera, x: camera.x - dx / at.k, y: camera.y + dy / at.k };
  const [x, y, z] = unprojected(at, at.x - dx, at.y - dy);
  return { ...camera, x, y, z };
}

/** Return the camera after a drag of `dx` and `dy` pixels has turned it about its center. @param {Camera} camera @param {number} dx @param {number} dy @returns {Camera} */
export function orbited(camera, dx, dy) {
  const yaw = camera.yaw + dx * TURN;
  return { ...camera, yaw: Math.atan2(Math.sin(yaw), Math.cos(yaw)), pitch: clamp(camera.pitch + dy * TURN, -Math.PI / 2, Math.PI / 2) };
}

/**
 * Return the camera zoomed by a factor; the point under the pixel stays in place.
 * @param {Camera} camera @param {Transform} at @param {number} px @param {number} py @param {number} factor
 * @returns {Camera}
 */
export function zoomed(camera, at, px, py, factor) {
  const zoom = clamp(camera.zoom * factor, LEAST_ZOOM, MOST_ZOOM);
  const [x, y, z] = unprojected(at, px, py);
  const share = camera.zoom / zoom;
  const moved = { ...camera, x: x + (camera.x - x) * share, y: y + (camera.y - y) * share, zoom };
  return at.solid ? { ...moved, z: z + (camera.z - z) * share } : moved;
}

/** Return the camera with its center inside the bounds and its zoom within the limits. @param {Camera} camera @param {Bounds} bounds @returns {Camera} */
export function held(camera, bounds) {
  const kept = {
    ...camera,
    x: clamp(camera.x, bounds.minX, bounds.maxX),
    y: clamp(camera.y, bounds.minY, bounds.maxY),
    zoom: clamp(camera.zoom, LEAST_ZOOM, MOST_ZOOM),
  };
  return bounds.radius ? { ...kept, z: clamp(camera.z, bounds.minZ, bounds.maxZ) } : kept;
}

/** @param {Camera} from @param {Camera} to @param {number} share 0 to 1 @returns {Camera} */
export function between(from, to, share) {
  const zoom = from.zoom * (to.zoom / from.zoom) ** share;
  // The center moves with the zoom, so that a point stays where it is while the map grows around it.
  const step = Math.abs(to.zoom - from.zoom) < 1e-9 ? share : (1 / from.zoom - 1 / zoom) / (1 / from.zoom - 1 / to.zoom);
  const flat = { x: from.x + (to.x - from.x) * step, y: from.y + (to.y - from.y) * step, zoom };
  if (to.yaw === undefined) return flat;
  const turn = Math.atan2(Math.sin(to.yaw - from.yaw), Math.cos(to.yaw - from.yaw)); // the shorter way round
  return {
    ...flat,
    z: from.z + (to.z - from.z) * step,
    yaw: share < 1 ? from.yaw + turn * share : to.yaw,
    pitch: from.pitch + (to.pitch - from.pitch) * share,
  };
}

/** Return the distance from a point to a rectangle; 0 inside. @param {Rect} rect @param {number} x @param {number} y */
export function gap(rect, x, y) {
  const dx = Math.max(rect.x - x, 0, x - rect.x - rect.width);
  const dy = Math.max(rect.y - y, 0, y - rect.y - rect.height);
  return Math.hypot(dx, dy);
}

/**
 * Return whether two lines cross: the ends of each lie on different sides of the other.
 * @param {[number, number, number, number]} a x and y of both ends @param {[number, number, number, number]} b
 */
export function meet(a, b) {
  const side = ([x0, y0, x1, y1], x, y) => Math.sign((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0));
  return side(a, b[0], b[1]) !== side(a, b[2], b[3]) && side(b, a[0], a[1]) !== side(b, a[2], a[3]);
}

/**
 * Return whether a line crosses a rectangle (Liang and Barsky, 1984).
 * @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {Rect} rect
 */
export function crosses(x0, y0, x1, y1, rect) {
  let [low, high] = [0, 1];
  const sides = [
    [x0 - x1, x0 - rect.x],
    [x1 - x0, rect.x + rect.width - x0],
    [y0 - y1, y0 - rect.y],
    [y1 - y0, rect.y + rect.height - y0],
  ];
  for (const [p, q] of sides) {
    if (p === 0) {
      if (q < 0) return false;
    } else if (p < 0) low = Math.max(low, q / p);
    else high = Math.min(high, q / p);
  }
  return low <= high;
}

/** Return a radius for rings around points at which they seldom overlap: half the median distance to the nearest other point. @param {number[][]} points x and y of each @param {{least: number, most: number}} range */
export function roomAround(points, { least, most }) {
  const nearest = points.map(([x, y], own) => Math.min(...points.map(([u, v], other) => (other === own ? Infinity : Math.hypot(x - u, y - v)))));
  const median = nearest.sort((a, b) => a - b)[nearest.length >> 1] ?? Infinity;
  return Math.min(most, Math.max(least, median / 2));
}
