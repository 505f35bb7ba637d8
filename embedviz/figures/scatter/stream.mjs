/** Frames of a job, read as they come and followed by a map. */

import { still } from "../web/elements.mjs";
import { unpack } from "./data.mjs";

const LONGEST = 64 << 20; // most bytes of a frame; a longer frame is an error
const BETWEEN = { least: 40, most: 600 }; // ms that a movement to the next frame takes
const LAG = 1.2; // a movement takes this multiple of the time between frames, so that the map does not stand still between them
const STEP_MS = 1000; // if the reader wants no motion, the map moves this often
const MOST_ATTEMPTS = 5;
const LEAP_MS = 600;

/** Cuts a stream of pieces of any size into frames. */
export class Cutter {
  constructor() {
    /** @type {Uint8Array[]} */ this.pieces = [];
    this.held = 0;
  }

  /**
   * Return the frames that this piece completes; a frame of length 0 is left out.
   * @param {Uint8Array} piece
   * @returns {ArrayBuffer[]}
   */
  take(piece) {
    this.pieces.push(piece);
    this.held += piece.length;
    const whole = [];
    for (let size = this.size(); this.held >= 4 + size; size = this.size()) {
      const bytes = this.joined();
      if (size) whole.push(bytes.slice(4, 4 + size).buffer);
      this.keep(bytes.subarray(4 + size));
    }
    return whole;
  }

  /** Return the bytes of the frame that has begun; infinity while its length is unknown. */
  size() {
    if (this.held < 4) return Infinity;
    if (this.pieces[0].length < 4) this.keep(this.joined());
    const [first] = this.pieces;
    const size = new DataView(first.buffer, first.byteOffset).getUint32(0, true);
    if (size > LONGEST) throw new Error("These bytes are no frames.");
    return size;
  }

  joined() {
    if (this.pieces.length === 1) return this.pieces[0];
    const bytes = new Uint8Array(this.held);
    let at = 0;
    for (const piece of this.pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }

  /** @param {Uint8Array} bytes */
  keep(bytes) {
    [this.pieces, this.held] = [bytes.length ? [bytes] : [], bytes.length];
  }
}

/**
 * Return a function that gives the duration of the next movement in ms, from the times between frames so far.
 * @returns {(now: number) => number} called with the time of each frame
 */
export function pacing() {
  let [last, apart] = [NaN, BETWEEN.most / 4];
  return (now) => {
    const passed = now - last;
    last = now;
    if (Number.isFinite(passed)) apart += 0.25 * (Math.min(passed, BETWEEN.most) - apart);
    return Math.min(Math.max(LAG * apart, BETWEEN.least), BETWEEN.most);
  };
}

/**
 * Move the points back to where a job took them from, after the job was stopped.
 * @param {import("./view.mjs").View} view @param {import("./data.mjs").Geometry | undefined} geometry as it came
 */
export function goBack(view, geometry) {
  const shown = view.state.geometry;
  if (geometry && shown?.id === geometry.id && shown.points !== geometry.points) view.moveTo(geometry.points, LEAP_MS);
}

/**
 * Move a map with a job until the job ends; connect again if the connection breaks.
 * @param {import("./view.mjs").View} view @param {string} address @param {AbortSignal} signal
 * @param {(points: Float32Array, header: any) => boolean} take called with each frame; returns whether the map should go there
 */
export async function moved(view, address, signal, take = () => true) {
  const pace = pacing();
  const { root } = view;
  let [began, stepped] = [NaN, -Infinity];
  root.dataset.stream = "on";
  root.dataset.streamed = "0";
  const show = ({ header, arrays }, wanted) => {
    const now = performance.now();
    began ||= now;
    const ms = Math.max(pace(now), LEAP_MS - (now - began)); // the first movement is from another layout
    if (!wanted || header.kind !== "frame" || (still() && now - stepped < STEP_MS)) return;
    stepped = now;
    if (view.moveTo(/** @type {Float32Array} */ (arrays.points), ms)) root.dataset.streamed = String(Number(root.dataset.streamed) + 1);
  };
  for (let attempt = 0; attempt < MOST_ATTEMPTS && !signal.aborted; attempt++) {
    try {
      const answer = await fetch(address, { signal, credentials: "same-origin" });
      if (!answer.ok) break; // the job or its token is gone
      const reader = answer.body.getReader();
      const cutter = new Cutter();
      for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
        const frames = cutter.take(value);
        if (!frames.length) continue;
        attempt = 0;
        const unpacked = frames.map(unpack);
        const wanted = unpacked.map(({ header, arrays }) => take(/** @type {Float32Array} */ (arrays.points), header));
        show(unpacked.at(-1), wanted.at(-1)); // only the newest frame moves the map
      }
      break;
    } catch (error) {
      if (signal.aborted) break;
      console.warn(error);
      await new Promise((on) => setTimeout(on, 500 * (attempt + 1)));
    }
  }
  if (!signal.aborted) root.dataset.stream = "off";
}
