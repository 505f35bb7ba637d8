/** The points on a plain 2-D canvas, where a browser offers no WebGL2. */

import { DIMMED } from "./data.mjs";
import { factorOf } from "./facets.mjs";
import { blended } from "./flight.mjs";
import { toScreen } from "./grid.mjs";

/** @typedef {import("./data.mjs").Geometry} Geometry */
/** @typedef {import("./data.mjs").Paint} Paint */

const LAYERS = 8; // of depth, drawn from the far to the near
const MOST_ROUND = 20_000; // with more colored points, points are squares
const MOST_DRAWN = 300_000; // of more points a sample is drawn, since drawing all would block the page for a second or longer
const ARCS = 200; // points in one path: a longer path takes more time per point

/** The points of one map, drawn by the processor. */
export class CanvasPainter {
  /** @param {CanvasRenderingContext2D} context @param {boolean} [round] whether small points are circles too */
  constructor(context, round = false) {
    this.context = context;
    this.most = MOST_DRAWN;
    this.round = round;
    /** @type {Geometry | null} */ this.geometry = null;
    /** @type {Paint | null} */ this.coloring = null;
    /** @type {Float32Array | null} */ this.from = null;
    /** @type {Uint8Array | null} */ this.weights = null;
    this.sized = false;
    /** @type {Uint8Array} */
    this.palette = new Uint8Array(4 * 256);
    this.screen = this.depth = new Float32Array(0);
  }

  /** @param {Geometry} geometry */
  place(geometry) {
    this.geometry = geometry;
    this.from = null;
    if (this.rows?.length === geometry.count) return;
    this.screen = new Float32Array(2 * geometry.count);
    this.depth = new Float32Array(geometry.count);
    this.groups = new Uint16Array(geometry.count);
    this.rows = new Uint32Array(geometry.count);
  }

  /** @param {Geometry} geometry @param {Float32Array | null} from */
  fly(geometry, from) {
    this.from = from;
  }

  /** @param {Geometry} geometry @param {Paint} paint */
  paint(geometry, paint) {
    this.coloring = paint;
  }

  /** @param {Geometry} geometry @param {Uint8Array | null} weights by row, as `weightsOf` gives them @param {boolean} sized */
  weigh(geometry, weights, sized) {
    this.weights = weights;
    this.sized = sized && weights !== null;
  }

  /** Return the factor by which the point of a row is larger than usual. @param {number} row */
  factor(row) {
    return this.sized ? factorOf(this.weights[row]) : 1;
  }

  /** @param {Uint8Array} palette 256 colors, RGBA */
  tint(palette) {
    this.palette = palette;
  }

  /** Draw the points, and return how many were drawn. @param {import("./shaders.mjs").Sketch} sketch */
  draw(sketch) {
    const { context, geometry, coloring } = this;
    const { transform, width, height, ratio, bg, share, flight } = sketch;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = `rgb(${bg.join(" ")})`;
    context.fillRect(0, 0, width, height);
    if (!geometry?.count || !coloring) return 0;
    const flying = this.from && flight < 1;
    const points = flying ? blended({ from: this.from, share: flight }, geometry) : geometry.points;
    toScreen(points, flying ? 3 : geometry.dimensions, transform, this.screen, this.depth);
    const count = Math.max(Math.ceil(geometry.count * share), 1);
    const starts = this.sort(sketch, count, flying ? this.from : null);
    for (let group = 0; group < 2 * LAYERS * 256; group++) {
      if (starts[group] < starts[group + 1]) this.drawGroup(sketch, group, starts[group], starts[group + 1]);
    }
    return count;
  }

  /**
   * Sort the rows to draw: first grey, then colored; within these by depth, then by code. Return where each group
   * begins.
   * @param {import("./shaders.mjs").Sketch} sketch @param {number} count @param {Float32Array | null} from
   */
  sort({ transform, width, height, flight }, count, from) {
    const { screen, depth, groups, rows, weights } = this;
    const { order } = this.geometry;
    const { codes } = this.coloring;
    const starts = new Uint32Array(2 * LAYERS * 256 + 1);
    for (let i = 0; i < count; i++) {
      const row = order[i];
      const [x, y] = [screen[2 * row], screen[2 * row + 1]];
      const seen = x > -8 && y > -8 && x < width + 8 && y < height + 8 && !(from && flight < 0.5 && from[4 * row + 3] < 0.5);
      if (!seen || weights?.[row] === 0) {
        groups[row] = 65535;
        continue;
      }
      const code = codes ? codes[row] : 0;
      const layer = transform.solid ? Math.min(Math.max(Math.floor((0.5 + 0.5 * depth[row]) * LAYERS), 0), LAYERS - 1) : 0;
      groups[row] = ((code >= DIMMED ? 0 : LAYERS) + layer) * 256 + code;
      starts[groups[row] + 1]++;
    }
    for (let group = 0; group < 2 * LAYERS * 256; group++) starts[group + 1] += starts[group];
    const next = starts.slice();
    for (let i = 0; i < count; i++) {
      const row = order[i];
      if (groups[row] !== 65535) rows[next[groups[row]]++] = row;
    }
    return starts;
  }

  /** @param {import("./shaders.mjs").Sketch} sketch @param {number} group @param {number} start @param {number} end */
  drawGroup({ transform, radii, opacity, bg, fade }, group, start, end) {
    const { context, palette, screen, rows, coloring } = this;
    const [code, layer] = [group % 256, (group >> 8) % LAYERS];
    const kind = code >= DIMMED ? 0 : 1;
    const depth = transform.solid ? ((layer + 0.5) / LAYERS) * 2 - 1 : 0;
    const faded = transform.solid ? fade * (0.5 - 0.5 * depth) : 0;
    const [r, g, b] = [0, 1, 2].map((i) => Math.round(palette[4 * code + i] * (1 - faded) + bg[i] * faded));
    context.fillStyle = context.strokeStyle = `rgb(${r} ${g} ${b})`;
    context.globalAlpha = (palette[4 * code + 3] / 255) * opacity[kind];
    const radius = radii[kind] / (transform.solid ? 1 - depth / transform.deep : 1);
    if (code === 1 && coloring.kind === "category" && coloring.labels.length === 2) {
      this.diamonds(1.2 * radius, start, end);
    } else if (!this.round && !this.sized && (radius < 1.2 || coloring.colored > MOST_ROUND)) {
      const side = 1.8 * radius;
      for (let i = start; i < end; i++) {
        context.fillRect(screen[2 * rows[i]] - side / 2, screen[2 * rows[i] + 1] - side / 2, side, side);
      }
    } else {
      for (let i = start; i < end; i += ARCS) {
        context.beginPath();
        for (let k = i; k < Math.min(i + ARCS, end); k++) {
          const [x, y] = [screen[2 * rows[k]], screen[2 * rows[k] + 1]];
          const own = radius * this.factor(rows[k]);
          context.moveTo(x + own, y);
          context.arc(x, y, own, 0, 2 * Math.PI);
        }
        context.fill();
      }
    }
    context.globalAlpha = 1;
  }

  /** Draw open diamonds, the shape of the second of two classes. @param {number} reach @param {number} start @param {number} end */
  diamonds(reach, start, end) {
    const { context, screen, rows } = this;
    context.lineWidth = reach * 0.55;
    for (let i = start; i < end; i += ARCS) {
      context.beginPath();
      for (let k = i; k < Math.min(i + ARCS, end); k++) {
        const [x, y] = [screen[2 * rows[k]], screen[2 * rows[k] + 1]];
        const own = reach * this.factor(rows[k]);
        context.moveTo(x + own, y);
        context.lineTo(x, y + own);
        context.lineTo(x - own, y);
        context.lineTo(x, y - own);
        context.closePath();
      }
      context.stroke();
    }
  }

  /** Forget the points; this painter holds nothing else. */
  destroy() {
    this.geometry = null;
  }
}
