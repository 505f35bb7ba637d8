/** Where things are: bounds, camera, and the way from data to pixels and back. */

/** @typedef {{minX: number, minY: number, maxX: number, maxY: number}} Bounds */
/** @typedef {{x: number, y: number, zoom: number}} Camera center in data units; zoom 1 shows everything */
/** @typedef {{width: number, height: number, left: number, right: number, top: number, bottom: number}} Frame size and margins in CSS pixels */
/** @typedef {{k: number, x: number, y: number}} Transform pixels a data unit, and where the data's origin falls */
/** @typedef {{x: number, y: number, width: number, height: number}} Rect */

export const LEAST_ZOOM = 0.5;
export const MOST_ZOOM = 400;

/** @param {number} value @param {number} low @param {number} high */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/** The camera that shows everything. @param {Bounds} bounds @returns {Camera} */
export function homeOf(bounds) {
  return { x: (bounds.minX + bounds.maxX) / 2, y: (bounds.minY + bounds.maxY) / 2, zoom: 1 };
}

/** @param {Camera} camera @param {Bounds} bounds */
export function isHome(camera, bounds) {
  const home = homeOf(bounds);
  const slack = 1e-4 * (bounds.maxX - bounds.minX + bounds.maxY - bounds.minY || 1);
  return Math.abs(camera.zoom - 1) < 1e-3 && Math.abs(camera.x - home.x) < slack && Math.abs(camera.y - home.y) < slack;
}

/** Pixels a data unit at zoom 1, the same on both axes. @param {Bounds} bounds @param {Frame} frame */
export function fitOf(bounds, frame) {
  const width = Math.max(frame.width - frame.left - frame.right, 1);
  const height = Math.max(frame.height - frame.top - frame.bottom, 1);
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
  return { k, x: middleX - k * camera.x, y: middleY + k * camera.y };
}

/** The camera moved by pixels. @param {Camera} camera @param {Transform} at @param {number} dx @param {number} dy @returns {Camera} */
export function panned(camera, at, dx, dy) {
  return { ...camera, x: camera.x - dx / at.k, y: camera.y + dy / at.k };
}

/**
 * The camera zoomed by a factor, the point under the pixel staying where it is.
 * @param {Camera} camera @param {Transform} at @param {number} px @param {number} py @param {number} factor
 * @returns {Camera}
 */
export function zoomed(camera, at, px, py, factor) {
  const zoom = clamp(camera.zoom * factor, LEAST_ZOOM, MOST_ZOOM);
  const dataX = (px - at.x) / at.k;
  const dataY = (at.y - py) / at.k;
  const share = camera.zoom / zoom;
  return { x: dataX + (camera.x - dataX) * share, y: dataY + (camera.y - dataY) * share, zoom };
}

/** The camera kept over the points. @param {Camera} camera @param {Bounds} bounds @returns {Camera} */
export function held(camera, bounds) {
  return {
    x: clamp(camera.x, bounds.minX, bounds.maxX),
    y: clamp(camera.y, bounds.minY, bounds.maxY),
    zoom: clamp(camera.zoom, LEAST_ZOOM, MOST_ZOOM),
  };
}

/** @param {Camera} from @param {Camera} to @param {number} share 0 to 1 @returns {Camera} */
export function between(from, to, share) {
  const zoom = from.zoom * (to.zoom / from.zoom) ** share;
  // The center moves with the zoom, so that a point stays where it is while the map grows around it.
  const step = Math.abs(to.zoom - from.zoom) < 1e-9 ? share : (1 / from.zoom - 1 / zoom) / (1 / from.zoom - 1 / to.zoom);
  return { x: from.x + (to.x - from.x) * step, y: from.y + (to.y - from.y) * step, zoom };
}

/** @param {Rect} a @param {Rect} b */
export function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** How far a point lies from a rectangle; 0 inside. @param {Rect} rect @param {number} x @param {number} y */
export function gap(rect, x, y) {
  const dx = Math.max(rect.x - x, 0, x - rect.x - rect.width);
  const dy = Math.max(rect.y - y, 0, y - rect.y - rect.height);
  return Math.hypot(dx, dy);
}

/**
 * Whether a line crosses a rectangle (Liang and Barsky, 1984).
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
