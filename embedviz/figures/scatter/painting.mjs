/** The points on their canvas: by WebGL where a browser offers it, else by a plain one. */

import { CanvasPainter } from "./canvas.mjs";
import { paletteOf } from "./palette.mjs";
import { Painter } from "./shaders.mjs";

/** @typedef {import("./data.mjs").Geometry} Geometry */
/** @typedef {import("./state.mjs").State} State */

export class Painting {
  /** @param {HTMLCanvasElement} canvas @param {() => void} restored called when a lost context is back and everything has to be sent again */
  constructor(canvas, restored) {
    this.frames = 0;
    this.canvas = canvas;
    canvas.style.visibility = "hidden"; // black until something is drawn
    this.tinted = NaN; // `firm` of the colors that the painter has
    this.gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: true, powerPreference: "high-performance" });
    /** @type {Painter | CanvasPainter | null} */
    this.painter = null;
    if (!this.gl) {
      const context = canvas.getContext("2d", { alpha: false });
      this.painter = context && new CanvasPainter(context);
      return;
    }
    this.painter = new Painter(this.gl);
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      canvas.style.visibility = "hidden";
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.painter = new Painter(this.gl);
      restored();
    });
  }

  get kind() {
    return this.gl ? "webgl2" : "canvas";
  }

  /** Send the positions of the points to the painter. @param {State} state */
  place({ geometry }) {
    this.painter?.place(geometry);
  }

  /** Send where the points begin a flight, or that the flight has ended. @param {State} state */
  fly({ geometry, flight }) {
    this.painter?.fly(geometry, flight?.from ?? null);
  }

  /** @param {State} state */
  color({ geometry, drawn }) {
    this.painter?.paint(geometry, drawn);
    this.untint();
  }

  /** Send which points are hidden, and how large the others are. @param {State} state */
  weigh({ geometry, weights, sized }) {
    this.painter?.weigh(geometry, weights, sized !== null);
  }

  /** Note that the colors have changed. */
  untint() {
    this.tinted = NaN;
  }

  /** Draw a share of the points; return how many were drawn, or -1 if nothing can be drawn. @param {State} state @param {import("./palette.mjs").Look} look @param {number} share */
  draw(state, look, share) {
    const { painter } = this;
    if (!painter || this.gl?.isContextLost()) return -1;
    const firm = state.firm();
    if (firm !== this.tinted) painter.tint(paletteOf(look, state.paint, firm));
    this.tinted = firm;
    this.frames++;
    const drawn = painter.draw(state.sketch(Math.min(share, painter.most / state.geometry.count), look.bg));
    this.canvas.style.visibility = "";
    return drawn;
  }

  end() {
    this.painter?.destroy();
  }
}
