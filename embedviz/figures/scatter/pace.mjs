/** How much of a map is drawn while it moves: as many points as the frames allow. */

const MOST = 250_000; // points drawn while moving, until frames say otherwise
const SLOW_MS = 45; // frames longer than this halve what is drawn while moving
const SETTLING = 4; // frames after a halving that still draw the old number
const MANY_QUICK = 10; // after so many frames of less than half that time, the next movement draws twice as many points
const LEAST = 20_000; // fewest points to which the number is halved

export class Pace {
  /** @param {number} count of the points */
  constructor(count = 0) {
    this.count = count;
    this.most = Math.min(MOST / Math.max(count, 1), 1);
    this.share = this.most;
    this.last = 0; // when the previous frame was drawn
    this.frames = 0; // frames of this movement
    this.slow = 0;
    this.quick = 0;
  }

  /** Begin a movement. */
  begin() {
    if (this.quick >= MANY_QUICK) this.share = Math.min(2 * this.share, this.most);
    [this.frames, this.slow, this.quick] = [0, 0, 0];
  }

  /**
   * Measure a frame while the map moves; return how long it took, or 0 if it does not count. Three slow frames in a row
   * halve the number of points drawn in motion; after a movement of quick frames the number doubles. The first two
   * frames of a movement do not count, since they wait for earlier work.
   * @param {number} time
   */
  measure(time) {
    const passed = time - this.last;
    this.frames++;
    if (this.frames <= 2 || passed <= 0 || passed > 1000) return 0;
    this.slow = passed > SLOW_MS ? this.slow + 1 : 0;
    if (passed < SLOW_MS / 2) this.quick++;
    if (this.slow >= 3 && this.count * this.share >= LEAST) {
      this.share /= 2;
      this.slow = -SETTLING;
      this.quick = -Infinity; // this movement was too much
    }
    return passed;
  }
}
