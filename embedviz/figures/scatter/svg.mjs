/** The map as SVG: its labels are text, its points circles. Code that draws on a canvas draws here as well. */

import { CanvasPainter } from "./canvas.mjs";
import { drawOverlay } from "./overlay.mjs";
import { EDGE, drawLines, drawnPoints, linesOf } from "./picture.mjs";
import { paletteOf } from "./palette.mjs";
import { visible } from "../web/elements.mjs";

/** With more points than this, they become a picture inside the SVG: a drawing program could not handle so many circles. */
export const MOST_CIRCLES = 20_000;
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g; // XML has no way to write these

/**
 * Return the picture as the text of an SVG file, as large as the map on the page.
 * @param {import("./view.mjs").View} view @param {import("./picture.mjs").Note} note
 * @param {string} [part] suffix of the ids, for several pictures in one file
 */
export function svgOf(view, note, part = "") {
  view.land();
  const { look } = view;
  const { width, tall } = view.state;
  const written = new SvgContext();
  const { lines, top, high } = linesOf(written, view, note);
  const wide = width + 2 * EDGE;
  drawLines(written, lines);
  const points = new SvgContext();
  if (view.located().inside.length > MOST_CIRCLES) points.picture(drawnPoints(view), width, tall);
  else drawPoints(points, view);
  const over = new SvgContext();
  drawOverlay(/** @type {any} */ (over), view.scene(Infinity));
  const { title, ...rest } = note;
  const about = Object.values(rest).filter(Boolean).join(" · ");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}">`,
    `<title>${escaped(title || "Map")}</title>`,
    about ? `<desc>${escaped(about)}</desc>` : "",
    `<defs><clipPath id="map${part}"><rect width="${width}" height="${tall}"/></clipPath></defs>`,
    `<rect width="${wide}" height="${high}" fill="${look.bg}"/>`,
    `<g id="note${part}">${written.text()}</g>`,
    `<g transform="translate(${EDGE} ${top})" clip-path="url(#map${part})">`,
    `<g id="points${part}">${points.text()}</g>`,
    `<g id="labels${part}">${over.text()}</g>`,
    "</g>",
    "</svg>",
    "",
  ].filter((line, k, all) => line || k === all.length - 1).join("\n");
}

/** Join several pictures into one, from left to right; a single picture is returned unchanged. @param {string[]} pictures @param {string} bg */
export function sideBySide(pictures, bg) {
  if (pictures.length < 2) return pictures[0];
  const sizes = pictures.map((one) => /width="([\d.]+)" height="([\d.]+)"/.exec(one).slice(1).map(Number));
  const [wide, high] = [sizes.reduce((sum, [width]) => sum + width, 0), Math.max(...sizes.map(([, height]) => height))];
  let left = 0;
  const placed = pictures.map((one, k) => {
    const moved = one.replace("<svg ", `<svg x="${left}" `);
    left += sizes[k][0];
    return moved;
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}">`;
  return [head, `<rect width="${wide}" height="${high}" fill="${bg}"/>`, ...placed, "</svg>", ""].join("\n");
}

/** @param {SvgContext} context @param {import("./view.mjs").View} view */
function drawPoints(context, view) {
  const { look, state } = view;
  const painter = new CanvasPainter(/** @type {any} */ (context), true);
  painter.place(state.geometry);
  painter.paint(state.geometry, state.drawn);
  painter.weigh(state.geometry, state.weights, state.sized !== null);
  painter.tint(paletteOf(look, state.paint, state.firm()));
  painter.draw({ ...state.sketch(1, look.bg), ratio: 1 });
}

/** Escape a text for XML. @param {string} text */
export function escaped(text) {
  const references = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return visible(text).toWellFormed().replaceAll(UNWRITABLE, "\ufffd").replaceAll(/[&<>"]/g, (letter) => references[letter]);
}

/** @param {number} value */
const number = (value) => String(Math.round(value * 100) / 100);

/** The part of a canvas's 2-D context that the map draws with; what is drawn becomes SVG elements. */
export class SvgContext {
  constructor() {
    /** @type {string[]} */ this.parts = [];
    /** @type {object[]} */ this.kept = [];
    this.fillStyle = this.strokeStyle = "#000";
    this.globalAlpha = this.lineWidth = 1;
    this.lineJoin = "miter";
    this.font = "400 10px sans-serif";
    this.textAlign = "left";
    this.textBaseline = "alphabetic";
    /** @type {number[]} */ this.dashes = [];
    this.matrix = [1, 0, 0, 1, 0, 0];
    this.ruler = document.createElement("canvas").getContext("2d");
    this.beginPath();
  }

  /** Return what was drawn, as SVG. */
  text() {
    return this.parts.join("\n");
  }

  // state

  save() {
    const { fillStyle, strokeStyle, globalAlpha, lineWidth, lineJoin, font, textAlign, textBaseline, matrix } = this;
    this.kept.push({ fillStyle, strokeStyle, globalAlpha, lineWidth, lineJoin, font, textAlign, textBaseline, matrix });
  }

  restore() {
    Object.assign(this, this.kept.pop());
  }

  /** @param {number[]} dashes */
  setLineDash(dashes) {
    this.dashes = dashes;
  }

  setTransform(...matrix) {
    this.matrix = matrix;
  }

  translate(x, y) {
    const [a, b, c, d] = this.matrix;
    this.matrix = [a, b, c, d, ...this.at(x, y)];
  }

  /** @param {number} x @param {number} y */
  scale(x, y) {
    const [a, b, c, d, e, f] = this.matrix;
    this.matrix = [a * x, b * x, c * y, d * y, e, f];
  }

  rotate(angle) {
    const [a, b, c, d, e, f] = this.matrix;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    this.matrix = [a * cos + c * sin, b * cos + d * sin, c * cos - a * sin, d * cos - b * sin, e, f];
  }

  /** @param {number} x @param {number} y @returns {[number, number]} */
  at(x, y) {
    const [a, b, c, d, e, f] = this.matrix;
    return [a * x + c * y + e, b * x + d * y + f];
  }

  // paths

  beginPath() {
    /** @type {string[]} */ this.lines = [];
    /** @type {string[]} */ this.circles = [];
    this.start = "";
  }

  moveTo(x, y) {
    this.start = `M${this.at(x, y).map(number).join(" ")}`;
  }

  lineTo(x, y) {
    this.lines.push(`${this.start}L${this.at(x, y).map(number).join(" ")}`);
    this.start = "";
  }

  closePath() {
    this.lines.push("Z");
  }

  rect(x, y, width, height) {
    this.moveTo(x, y);
    this.lineTo(x + width, y);
    this.lineTo(x + width, y + height);
    this.lineTo(x, y + height);
    this.closePath();
  }

  /** Draw a whole circle; the map draws no other arcs. */
  arc(x, y, radius) {
    const [cx, cy] = this.at(x, y).map(number);
    this.circles.push(`<circle cx="${cx}" cy="${cy}" r="${number(radius)}"/>`);
  }

  fill() {
    this.draw(`fill="${this.fillStyle}"${this.faded("fill")}`);
  }

  stroke() {
    const join = this.lineJoin === "miter" ? "" : ` stroke-linejoin="${this.lineJoin}"`;
    const dashed = this.dashes.length ? ` stroke-dasharray="${this.dashes.join(" ")}"` : "";
    const line = `stroke="${this.strokeStyle}" stroke-width="${number(this.lineWidth)}"${join}${dashed}`;
    this.draw(`fill="none" ${line}${this.faded("stroke")}`);
  }

  /** @param {string} look */
  draw(look) {
    if (this.circles.length) this.parts.push(`<g ${look}>${this.circles.join("")}</g>`);
    if (this.lines.length) this.parts.push(`<path ${look} d="${this.lines.join("")}"/>`);
  }

  fillRect(x, y, width, height) {
    const [left, top] = this.at(x, y);
    const size = `x="${number(left)}" y="${number(top)}" width="${number(width)}" height="${number(height)}"`;
    this.parts.push(`<rect ${size} fill="${this.fillStyle}"${this.faded("fill")}/>`);
  }

  /** @param {"fill" | "stroke"} what */
  faded(what) {
    return this.globalAlpha < 1 ? ` ${what}-opacity="${number(this.globalAlpha)}"` : "";
  }

  // text

  measureText(text) {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  fillText(text, x, y) {
    this.write(text, x, y, `fill="${this.fillStyle}"${this.faded("fill")}`);
  }

  /** Draw the halo of a text as an element of its own, since not every program supports `paint-order`. */
  strokeText(text, x, y) {
    const look = `fill="none" stroke="${this.strokeStyle}" stroke-width="${number(this.lineWidth)}" stroke-linejoin="round"`;
    this.write(text, x, y, `${look}${this.faded("stroke")} aria-hidden="true"`);
  }

  /** @param {string} text @param {number} x @param {number} y @param {string} look */
  write(text, x, y, look) {
    const [, weight, size, family] = /^(\d+) ([\d.]+)px (.*)$/.exec(this.font);
    const anchor = { left: "", center: ' text-anchor="middle"', right: ' text-anchor="end"' }[this.textAlign];
    const base = y + (this.textBaseline === "middle" ? 0.35 * Number(size) : 0);
    const turned = this.matrix[1] !== 0;
    const place = turned
      ? `transform="matrix(${this.matrix.map((v) => Math.round(v * 1e4) / 1e4).join(" ")})" x="${number(x)}" y="${number(base)}"`
      : `x="${number(this.at(x, base)[0])}" y="${number(this.at(x, base)[1])}"`;
    const font = `font-family="${escaped(family)}" font-size="${size}"${weight === "400" ? "" : ` font-weight="${weight}"`}`;
    this.parts.push(`<text ${place} ${font}${anchor} ${look}>${escaped(text)}</text>`);
  }

  // pictures

  /** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
  picture(canvas, width, height) {
    this.parts.push(`<image width="${width}" height="${height}" xlink:href="${canvas.toDataURL("image/png")}"/>`);
  }
}
