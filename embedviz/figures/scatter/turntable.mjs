/** A slow turn of a map with depth: while it turns, one sees which points are near and which are far. */

import { element, still } from "../web/elements.mjs";

const SPEED = 0.2; // radians per second: a whole turn takes half a minute
const STEP = Math.PI / 6; // if the reader wants no motion, a press turns the map this far

/** Return the camera after so many seconds. @param {import("./geometry.mjs").Camera} camera @param {number} seconds @returns {import("./geometry.mjs").Camera} */
export function turnedOn(camera, seconds) {
  const yaw = camera.yaw + SPEED * seconds;
  return { ...camera, yaw: Math.atan2(Math.sin(yaw), Math.cos(yaw)) };
}

/** The button that turns a map; only a map with depth has it. */
export class Turntable {
  /** @param {import("./view.mjs").View} view */
  constructor(view) {
    this.view = view;
    this.last = 0;
    this.requested = 0;
    this.button = element("button", { class: "turn", type: "button", hidden: "", "aria-pressed": "false" }, "Turn");
    this.button.addEventListener("click", () => (this.turning ? this.stop() : this.start()));
    view.shell.bar.prepend(this.button);
    for (const type of ["pointerdown", "wheel", "keydown"]) view.over.addEventListener(type, () => this.stop(), { passive: true });
  }

  get turning() {
    return this.requested !== 0;
  }

  start() {
    const { view } = this;
    if (view.state.geometry?.dimensions !== 3) return;
    if (still()) {
      view.steering.lookAt({ ...view.state.camera, yaw: view.state.camera.yaw + STEP });
      return;
    }
    this.last = performance.now();
    this.requested = requestAnimationFrame(this.step);
    this.draw();
  }

  step = () => {
    const { view } = this;
    if (view.ended || view.state.geometry?.dimensions !== 3) {
      this.stop();
      return;
    }
    const now = performance.now();
    view.steering.lookAt(turnedOn(view.state.camera, Math.min(now - this.last, 100) / 1000));
    this.last = now;
    this.requested = requestAnimationFrame(this.step);
  };

  stop() {
    cancelAnimationFrame(this.requested);
    this.requested = 0;
    this.draw();
  }

  draw() {
    this.button.hidden = this.view.state.geometry?.dimensions !== 3;
    const name = still() ? "Turn by 30 degrees" : this.turning ? "Stop turning" : "Turn slowly";
    this.button.setAttribute("aria-pressed", String(this.turning));
    if (this.button.textContent !== name) this.button.textContent = name;
  }
}
