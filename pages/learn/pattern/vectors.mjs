/** Vectors in a plane, and the windows of pixels that show them. */

/** @typedef {[number, number]} Vector */

/** @param {Vector} a @param {Vector} b */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1];

/** @param {Vector} a */
export const length = (a) => Math.hypot(a[0], a[1]);

/** @param {Vector} a @param {Vector} b @returns {Vector} */
export const plus = (a, b) => [a[0] + b[0], a[1] + b[1]];

/** @param {Vector} a @param {Vector} b @returns {Vector} */
export const minus = (a, b) => [a[0] - b[0], a[1] - b[1]];

/** @param {Vector} a @param {number} factor @returns {Vector} */
export const scaled = (a, factor) => [a[0] * factor, a[1] * factor];

/** Return the vector scaled to length 1, or null if it has no direction. @param {Vector} a @returns {Vector | null} */
export const unit = (a) => (length(a) > 1e-9 ? scaled(a, 1 / length(a)) : null);

/** Return the cosine of two vectors, or null if one has no direction. @param {Vector} a @param {Vector} b */
export function cosine(a, b) {
  const [u, v] = [unit(a), unit(b)];
  return u && v ? Math.min(1, Math.max(-1, dot(u, v))) : null;
}

/**
 * Return the foot of b on the line of a, or null if a has no direction.
 * @param {Vector} a @param {Vector} b @returns {Vector | null}
 */
export function foot(a, b) {
  const u = unit(a);
  return u && scaled(u, dot(u, b));
}

/** Return the vector, shortened to lie within a circle. @param {Vector} a @param {number} radius @returns {Vector} */
export const within = (a, radius) => (length(a) > radius ? scaled(a, radius / length(a)) : a);

/**
 * Return a vector in the direction of `a` with the length of `old`; `old` itself if `a` has no direction.
 * @param {Vector} a @param {Vector} old @returns {Vector}
 */
export const turned = (a, old) => scaled(unit(a) ?? unit(old) ?? [1, 0], length(old));

/**
 * Return where an arrow key moves a tip, or null for another key. With `turns`, the tip only moves around the origin:
 * left and up counter-clockwise, right and down clockwise.
 * @param {Vector} at @param {string} key @param {number} step @param {boolean} turns @returns {Vector | null}
 */
export function stepped(at, key, step, turns = false) {
  /** @type {Record<string, Vector>} */
  const steps = { ArrowRight: [step, 0], ArrowLeft: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
  if (!(key in steps)) return null;
  if (!turns) return plus(at, steps[key]);
  const angle = ((key === "ArrowLeft" || key === "ArrowUp" ? 1 : -1) * step) / (length(at) || 1);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [at[0] * cos - at[1] * sin, at[0] * sin + at[1] * cos];
}

/** Return the radius that holds all vectors, with some room around them. @param {Vector[]} vectors */
export const reachOf = (vectors) => 1.2 * (Math.max(0, ...vectors.map(length)) || 1);

/**
 * Return a window of pixels that shows a circle of the plane.
 * @param {number} width @param {number} height @param {number} reach radius of the circle @param {number} [margin] in pixels
 */
export function windowOn(width, height, reach, margin = 16) {
  return windowWith(Math.max(1, Math.min(width, height) / 2 - margin) / reach, width / 2, height / 2);
}

/**
 * Return a window of pixels that the origin and these points fill.
 * @param {number} width @param {number} height @param {Vector[]} points @param {number} [margin] in pixels
 */
export function windowAround(width, height, points, margin = 48) {
  const [[left, right], [low, high]] = [0, 1].map((axis) => [Math.min(0, ...points.map((one) => one[axis])), Math.max(0, ...points.map((one) => one[axis]))]);
  const [across, up] = [width, height].map((pixels) => Math.max(1, pixels - 2 * margin));
  const scale = Math.min(across / (right - left || 1e-9), up / (high - low || 1e-9));
  return windowWith(scale, width / 2 - (scale * (left + right)) / 2, height / 2 + (scale * (low + high)) / 2);
}

/**
 * Return a place on the screen, moved into the picture if it lies outside.
 * @param {Vector} at @param {number} width @param {number} height @returns {Vector}
 */
export const inBox = ([x, y], width, height, margin = 16) => [Math.min(width - margin, Math.max(margin, x)), Math.min(height - margin, Math.max(margin, y))];

/** @param {number} scale @param {number} x0 @param {number} y0 of the origin, in pixels */
const windowWith = (scale, x0, y0) => ({
  scale,
  /** @param {Vector} at @returns {Vector} */
  toScreen: ([x, y]) => [x0 + x * scale, y0 - y * scale],
  /** @param {Vector} at @returns {Vector} */
  fromScreen: ([x, y]) => [(x - x0) / scale, (y0 - y) / scale],
});
