/** The points on the graphics processor: one draw call for the rest, one for what has a color. */

import { DIMMED } from "./data.mjs";

/** @typedef {import("./data.mjs").Geometry} Geometry */
/** @typedef {import("./data.mjs").Paint} Paint */

const VERTEX = `#version 300 es
precision highp float;
in vec3 point;           // in two dimensions z is 0
in uint code;
uniform mat3x4 camera;   // rows across, down and away: from data to pixels
uniform vec2 size;       // of the picture, CSS pixels
uniform float ratio;     // device pixels a CSS pixel
uniform vec2 radius;     // of the rest, of the colored; CSS pixels
uniform int pass;        // 0: all; 1: the rest alone; 2: through the index
uniform bool pair;       // two classes: the second is an open diamond
uniform sampler2D palette;
flat out vec4 color;
flat out float reach;    // device pixels
flat out int shape;
void main() {
  bool rest = code >= 254u;
  shape = pair && code == 1u ? 1 : 0;
  reach = (rest ? radius.x : radius.y * (shape == 1 ? 1.45 : 1.0)) * ratio;
  color = texelFetch(palette, ivec2(int(code), 0), 0);
  gl_PointSize = 2.0 * reach + 2.0;
  vec3 at = vec4(point, 1.0) * camera;
  vec2 clip = 2.0 * at.xy / size - at.z;
  gl_Position = pass == 1 && !rest ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(clip.x, -clip.y, 0.0, at.z);
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 color;
flat in float reach;
flat in int shape;
out vec4 fragment;
void main() {
  vec2 away = abs(gl_PointCoord - 0.5) * (2.0 * reach + 2.0);
  float distance = shape == 1 ? (away.x + away.y) * 0.7071 : length(away);
  float cover = clamp((shape == 1 ? reach * 0.7071 : reach) + 0.5 - distance, 0.0, 1.0);
  if (shape == 1) cover *= clamp(distance - reach * 0.7071 * 0.45 + 0.5, 0.0, 1.0);
  if (cover == 0.0) discard;
  fragment = vec4(color.rgb, color.a * cover);
}`;

/** @param {WebGL2RenderingContext} gl */
function programOf(gl) {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
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
    this.at = Object.fromEntries(
      ["camera", "size", "ratio", "radius", "pass", "pair", "palette"].map((name) => [name, gl.getUniformLocation(this.program, name)]),
    );
    [this.points, this.codes, this.index] = [gl.createBuffer(), gl.createBuffer(), gl.createBuffer()];
    this.texture = gl.createTexture();
    this.array = gl.createVertexArray();
    this.count = 0;
    this.indexed = 0;
    this.pair = false;
    gl.bindVertexArray(this.array);
    this.point = gl.getAttribLocation(this.program, "point");
    gl.enableVertexAttribArray(this.point);
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
    const mixed = new Float32Array(points.length);
    for (let i = 0, k = 0; i < order.length; i++) {
      for (let p = dimensions * order[i], end = p + dimensions; p < end; p++) mixed[k++] = points[p];
    }
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.points);
    gl.bufferData(gl.ARRAY_BUFFER, mixed, gl.STATIC_DRAW);
    gl.vertexAttribPointer(this.point, dimensions, gl.FLOAT, false, 0, 0);
    this.count = order.length;
  }

  /** @param {Geometry} geometry @param {Paint} paint */
  paint(geometry, paint) {
    const { gl } = this;
    const { order } = geometry;
    const mixed = new Uint8Array(order.length);
    const above = new Uint32Array(paint.colored < order.length ? paint.colored : 0);
    if (paint.codes) {
      const shades = paint.kind === "value" && !paint.greyed; // their topmost shade has the code of the greyed
      for (let i = 0, k = 0; i < order.length; i++) {
        const code = paint.codes[order[i]];
        mixed[i] = shades && code === DIMMED ? DIMMED - 1 : code;
        if (mixed[i] < DIMMED && above.length) above[k++] = i;
      }
    }
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.codes);
    gl.bufferData(gl.ARRAY_BUFFER, mixed, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.index);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, above, gl.STATIC_DRAW);
    this.indexed = above.length;
    this.mixed = paint.codes !== null && paint.colored < order.length;
    this.pair = paint.kind === "category" && paint.labels.length === 2;
  }

  /** @param {Uint8Array} palette 256 colors, RGBA */
  tint(palette) {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, palette);
  }

  /**
   * How many points were drawn. `share` below 1 draws the first part of the random order.
   * @param {{transform: import("./geometry.mjs").Transform, width: number, height: number, ratio: number,
   *   radii: [number, number], bg: [number, number, number], share: number}} scene
   */
  draw({ transform, width, height, ratio, radii, bg, share }) {
    const { gl, at } = this;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(bg[0] / 255, bg[1] / 255, bg[2] / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!this.count) return 0;
    gl.useProgram(this.program);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
    gl.bindVertexArray(this.array);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.uniform1i(at.palette, 0);
    gl.uniformMatrix3x4fv(at.camera, false, [...transform.across, ...transform.down, ...transform.away]);
    gl.uniform2f(at.size, width, height);
    gl.uniform1f(at.ratio, ratio);
    gl.uniform2f(at.radius, radii[0], radii[1]);
    gl.uniform1i(at.pair, this.pair ? 1 : 0);
    const count = Math.max(Math.ceil(this.count * share), 1);
    gl.uniform1i(at.pass, this.mixed ? 1 : 0);
    gl.drawArrays(gl.POINTS, 0, count);
    if (!this.mixed || !this.indexed) return count;
    const above = this.indexed > 5000 ? Math.ceil(this.indexed * share) : this.indexed;
    gl.uniform1i(at.pass, 2);
    gl.drawElements(gl.POINTS, above, gl.UNSIGNED_INT, 0);
    return count;
  }
}
