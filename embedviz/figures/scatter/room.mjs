/** Free space of a picture: places taken by labels, positions of points, and possible places of a label. */

/** @typedef {import("./geometry.mjs").Rect} Rect */

export const CELL = 4; // pixels

/** The cells of the picture: which are taken by labels, and how many points lie in each (without context). */
export class Occupancy {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.columns = Math.ceil(width / CELL);
    this.rows = Math.ceil(height / CELL);
    this.taken = new Uint8Array(this.columns * this.rows);
    this.dots = new Float32Array(this.columns * this.rows);
  }

  /** @param {Rect} rect @param {(cell: number) => boolean | void} see ends the walk by returning true */
  walk(rect, see) {
    const left = Math.max(Math.floor(rect.x / CELL), 0);
    const right = Math.min(Math.floor((rect.x + rect.width) / CELL), this.columns - 1);
    const top = Math.max(Math.floor(rect.y / CELL), 0);
    const bottom = Math.min(Math.floor((rect.y + rect.height) / CELL), this.rows - 1);
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) if (see(row * this.columns + column)) return true;
    }
    return false;
  }

  /** @param {Rect} rect */
  take(rect) {
    this.walk(rect, (cell) => void (this.taken[cell] = 1));
  }

  /** Take the cells of a label's line, so that nothing is written across it. @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
  takeLine(x0, y0, x1, y1) {
    const steps = Math.max(Math.ceil(Math.hypot(x1 - x0, y1 - y0) / CELL), 1);
    for (let k = 0; k <= steps; k++) {
      const share = k / steps;
      this.take({ x: x0 + (x1 - x0) * share - 1, y: y0 + (y1 - y0) * share - 1, width: 2, height: 2 });
    }
  }

  /** @param {number} x @param {number} y @param {number} [weight] */
  dot(x, y, weight = 1) {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    this.dots[Math.floor(y / CELL) * this.columns + Math.floor(x / CELL)] += weight;
  }

  /** Return whether a rectangle lies in the picture and over no label. @param {Rect} rect @param {number} [edge] */
  free(rect, edge = 2) {
    return (
      rect.x >= edge &&
      rect.y >= edge &&
      rect.x + rect.width <= this.width - edge &&
      rect.y + rect.height <= this.height - edge &&
      !this.walk(rect, (cell) => this.taken[cell] === 1)
    );
  }

  /** Return how many points a rectangle covers. @param {Rect} rect */
  covered(rect) {
    let sum = 0;
    this.walk(rect, (cell) => void (sum += this.dots[cell]));
    return sum;
  }
}

/** @param {Rect} rect @param {number} across @param {number} [up] @returns {Rect} */
export function grown(rect, across, up = across) {
  return { x: rect.x - across, y: rect.y - up, width: rect.width + 2 * across, height: rect.height + 2 * up };
}

/**
 * Return the places of a label beside its point, best first.
 * @param {number} x @param {number} y @param {number} width @param {number} height @param {number} away
 * @returns {Rect[]}
 */
export function beside(x, y, width, height, away) {
  const place = (left, top) => ({ x: left, y: top, width, height });
  const slant = away * 0.7;
  return [
    place(x + away, y - height / 2),
    place(x - away - width, y - height / 2),
    place(x - width / 2, y - away - height),
    place(x - width / 2, y + away),
    place(x + slant, y - slant - height),
    place(x + slant, y + slant),
    place(x - slant - width, y - slant - height),
    place(x - slant - width, y + slant),
  ];
}

/**
 * Return the places of a label at a distance from its point, in all directions.
 * @param {number} x @param {number} y @param {number} width @param {number} height @param {number} away
 * @returns {Rect[]}
 */
export function around(x, y, width, height, away) {
  const turns = 24;
  return Array.from({ length: turns }, (_, turn) => {
    const angle = (turn / turns) * 2 * Math.PI;
    const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
    const far = away + Math.min(width / 2 / Math.max(Math.abs(ux), 1e-6), height / 2 / Math.max(Math.abs(uy), 1e-6));
    return { x: x + ux * far - width / 2, y: y + uy * far - height / 2, width, height };
  });
}

/**
 * Return where the line from a label to its point begins, in pixels from the point.
 * @param {Rect} rect @param {number} x @param {number} y
 * @returns {[number, number]}
 */
export function startOf(rect, x, y) {
  const [cx, cy] = [rect.x + rect.width / 2, rect.y + rect.height / 2];
  const [dx, dy] = [x - cx, y - cy];
  const share = Math.min((rect.width / 2 + 2) / Math.max(Math.abs(dx), 1e-6), (rect.height / 2) / Math.max(Math.abs(dy), 1e-6), 1);
  return [cx + dx * share - x, cy + dy * share - y];
}
