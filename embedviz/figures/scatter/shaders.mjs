/** The points on the graphics processor: one draw call for the grey rest, one for colored points. */

import { DIMMED } from "./data.mjs";

/** @typedef {import("./data.mjs").Geometry} Geometry */
/** @typedef {import("./data.mjs").Paint} Paint */

/**
 * @typedef {object} Sketch what a painter needs to know to draw
 * @property {import("./geometry.mjs").Transform} transform
 * @property {number} width in CSS pixels
 * @property {number} height
 * @property {number} ratio device pixels per CSS pixel
 * @property {[number, number]} radii of the rest, of the colored
 * @property {[number, number]} opacity of the rest, of the colored
 * @property {[number, number, number]} bg
 * @property {number} share below 1, the first part of the random order is drawn
 * @property {number} flight how far the points have flown, 0 to 1
 * @property {number} fade how much of the page's color the farthest points take
 */

const VERTEX = `#version 300 es
precision highp float;
in vec3 point;           // in two dimensions z is 0
in vec4 from;            // where its flight began, and how opaque it was there
in uint code;
in float weight;         // 0: hidden; else how large, where points are sized
uniform mat3x4 camera;   // rows across, down and away: from data to pixels
uniform float deep;      // depth is (1 - away) times this; 0 in two dimensions
uniform vec2 size;       // of the picture, CSS pixels
uniform float flight;    // 0 to 1; at 1 every point is in its place
uniform float ratio;     // device pixels a CSS pixel
uniform vec2 radius;     // of the rest, of the colored; CSS pixels
uniform vec2 opacity;    // of the rest, of the colored
uniform vec3 bg;
uniform float fade;     // how much of it the farthest points take
uniform int pass;        // 0: all; 1: the rest alone; 2: through the index
uniform bool sized;
uniform bool pair;       // two classes: the second is an open diamond
uniform sampler2D palette;
flat out vec4 color;
flat out float reach;    // device pixels
flat out int shape;
void main() {
  bool rest = code >= 254u;
  vec3 at = vec4(flight < 1.0 ? mix(from.xyz, point, flight) : point, 1.0) * camera;
  float depth = (1.0 - at.z) * deep;
  shape = pair && code == 1u ? 1 : 0;
  reach = (rest ? radius.x : radius.y * (shape == 1 ? 1.45 : 1.0)) * ratio / at.z;
  if (sized) reach *= sqrt(mix(0.25, 9.0, weight)); // as factorOf of facets.mjs
  color = texelFetch(palette, ivec2(int(code), 0), 0);
  color.a *= (rest ? opacity.x : opacity.y) * (flight < 1.0 ? mix(from.w, 1.0, flight) : 1.0);
  if (deep > 0.0) color.rgb = mix(color.rgb, bg, fade * clamp(0.5 - 0.5 * depth, 0.0, 1.0));
  gl_PointSize = 2.0 * reach + 2.0;
  vec2 clip = 2.0 * at.xy / size - at.z;
  gl_Position = weight == 0.0 || (pass == 1 && !rest) ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(clip.x, -clip.y, -0.4 * depth * at.z, at.z);
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 color;
flat in float reach;
flat in int shape;
uniform float least;     // an edge fainter than this hides nothing behind it
out vec4 fragment;
void main() {
  vec2 away = abs(gl_PointCoord - 0.5) * (2.0 * reach + 2.0);
  float distance = shape == 1 ? (away.x + away.y) * 0.7071 : length(away);
  float cover = clamp((shape == 1 ? reach * 0.7071 : reach) + 0.5 - distance, 0.0, 1.0);
  if (shape == 1) cover *= clamp(distance - reach * 0.7071 * 0.45 + 0.5, 0.0, 1.0);
  if (cover <= least) discard;
  fragment = vec4(color.rgb, color.a * cover);
}`;

const UNIFORMS = ["camera", "deep", "size", "flight", "ratio", "radius", "opacity", "bg", "fade", "pass", "sized", "pair", "palette", "least"];

/** @param {WebGL2RenderingContext} gl */
function programOf(gl) {
  const program = gl.createProgram();
  for (const [type, text] of /** @type {[number, string][]} */ ([[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]])) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`The drawing program does not link: ${gl.getProgramInfoLog(program)}`);
  }
  return program;
}

/** The points of one map in the graphics processor's memory. */
export class Painter {
  /** @param {WebGL2RenderingContext} gl */
  constructor(gl) {
    this.gl = gl;
    this.program = programOf(gl);
    this.at = Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(this.program, name)]));
    this.points = gl.createBuffer();
    this.starts = gl.createBuffer();
    this.codes = gl.createBuffer();
    this.weights = gl.createBuffer();
    this.index = gl.createBuffer();
    this.texture = gl.createTexture();
    this.array = gl.createVertexArray();
    this.most = Infinity;
    this.count = 0;
    this.indexed = 0;
    this.pair = this.sized = false;
    gl.bindVertexArray(this.array);
    this.point = gl.getAttribLocation(this.program, "point");
    gl.enableVertexAttribArray(this.point);
    this.from = gl.getAttribLocation(this.program, "from");
    this.weight = gl.getAttribLocation(this.program, "weight");
    const code = gl.getAttribLocation(this.program, "code");
    gl.bindBuffer(gl.ARRAY_BUFFER, this.codes);
    gl.enableVertexAttribArray(code);
    gl.vertexAttribIPointer(code, 1, gl.UNSIGNED_BYTE, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.index);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  /** @param {Geometry} geometry */
  place(geometry) {
    const { gl } = this;
    const { order, points, dimensions } = geometry;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.points);
    gl.bufferData(gl.ARRAY_BUFFER, mixed(points, dimensions, order), gl.STATIC_DRAW);
    gl.vertexAttribPointer(this.point, dimensions, gl.FLOAT, false, 0, 0);
    this.count = order.length;
    this.fly(geometry, null);
  }

  /**
   * Send where a flight begins, 4 numbers per row; null when it has ended.
   * @param {Geometry} geometry @param {Float32Array | null} from
   */
  fly(geometry, from) {
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.starts);
    gl.bufferData(gl.ARRAY_BUFFER, from ? mixed(from, 4, geometry.order) : new Float32Array(0), gl.STATIC_DRAW);
    if (from) {
      gl.enableVertexAttribArray(this.from);
      gl.vertexAttribPointer(this.from, 4, gl.FLOAT, false, 0, 0);
    } else gl.disableVertexAttribArray(this.from);
  }

  /** @param {Geometry} geometry @param {Paint} paint */
  paint(geometry, paint) {
    const { gl } = this;
    const { order } = geometry;
    const codes = new Uint8Array(order.length);
    const above = new Uint32Array(paint.colored < order.length ? paint.colored : 0);
    if (paint.codes) {
      for (let i = 0, k = 0; i < order.length; i++) {
        codes[i] = paint.codes[order[i]];
        if (codes[i] < DIMMED && above.length) above[k++] = i;
      }
    }
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.codes);
    gl.bufferData(gl.ARRAY_BUFFER, codes, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.index);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, above, gl.STATIC_DRAW);
    this.indexed = above.length;
    this.mixed = paint.codes !== null && paint.colored < order.length;
    this.pair = paint.kind === "category" && paint.labels.length === 2;
  }

  /**
   * Send which points are hidden, and how large the others are.
   * @param {Geometry} geometry @param {Uint8Array | null} weights by row, as `weightsOf` gives them @param {boolean} sized
   */
  weigh({ order }, weights, sized) {
    const { gl } = this;
    this.sized = sized && weights !== null;
    gl.bindVertexArray(this.array);
    if (!weights) {
      gl.disableVertexAttribArray(this.weight);
      gl.vertexAttrib1f(this.weight, 1);
      return;
    }
    const mixed = new Float32Array(order.length);
    for (let i = 0; i < order.length; i++) mixed[i] = !weights[order[i]] ? 0 : Math.max((weights[order[i]] - 1) / 254, 1e-6);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.weights);
    gl.bufferData(gl.ARRAY_BUFFER, mixed, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(this.weight);
    gl.vertexAttribPointer(this.weight, 1, gl.FLOAT, false, 0, 0);
  }

  /** @param {Uint8Array} palette 256 colors, RGBA */
  tint(palette) {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, palette);
  }

  /** Draw the points, and return how many were drawn. @param {Sketch} sketch */
  draw({ transform, width, height, ratio, radii, opacity, bg, share, flight, fade }) {
    const { gl, at } = this;
    const [r, g, b] = bg.map((v) => v / 255);
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(r, g, b, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (!this.count) return 0;
    // Near points hide far ones, unless points are so many that they are drawn faintly to show where they are dense.
    const hides = transform.solid !== null && Math.min(...opacity) > 0.9;
    if (hides) gl.enable(gl.DEPTH_TEST);
    else gl.disable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.useProgram(this.program);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
    gl.bindVertexArray(this.array);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.uniform1i(at.palette, 0);
    gl.uniformMatrix3x4fv(at.camera, false, [...transform.across, ...transform.down, ...transform.away]);
    gl.uniform1f(at.deep, transform.deep);
    gl.uniform2f(at.size, width, height);
    gl.uniform1f(at.flight, flight);
    gl.uniform1f(at.ratio, ratio);
    gl.uniform2fv(at.radius, radii);
    gl.uniform2fv(at.opacity, opacity);
    gl.uniform3f(at.bg, r, g, b);
    gl.uniform1f(at.fade, fade);
    gl.uniform1f(at.least, hides ? 0.4 : 0);
    gl.uniform1i(at.pair, this.pair ? 1 : 0);
    gl.uniform1i(at.sized, this.sized ? 1 : 0);
    const count = Math.max(Math.ceil(this.count * share), 1);
    gl.uniform1i(at.pass, this.mixed ? 1 : 0);
    gl.drawArrays(gl.POINTS, 0, count);
    if (!this.mixed || !this.indexed) return count;
    if (hides) gl.clear(gl.DEPTH_BUFFER_BIT); // the grey rest hides nothing
    const above = this.indexed > 5000 ? Math.ceil(this.indexed * share) : this.indexed;
    gl.uniform1i(at.pass, 2);
    gl.drawElements(gl.POINTS, above, gl.UNSIGNED_INT, 0);
    return count;
  }

  /** Release the context: a browser gives a page only a few. */
  destroy() {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

/** Return the numbers of each row, `stride` per row, in the order of drawing. @param {Float32Array} values @param {number} stride @param {Uint32Array} order */
function mixed(values, stride, order) {
  const made = new Float32Array(stride * order.length);
  for (let i = 0, k = 0; i < order.length; i++) {
    for (let p = stride * order[i], end = p + stride; p < end; p++) made[k++] = values[p];
  }
  return made;
}
