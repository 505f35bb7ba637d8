/** Makes a lesson in the lecture view as large as the window holds. */

const [MOST, LEAST, STEP] = [1.3, 0.85, 0.05]; // of the normal size
const PAUSES = [0, 300, 1200, 4000]; // ms: figures and formulas draw a while after the page
const SPARE = 8; // px below the lesson

/** @type {ReturnType<typeof setTimeout>[]} */
let waiting = [];

/** Runs at each run of the page. */
export default function lecture() {
  waiting.forEach(clearTimeout);
  waiting = PAUSES.map((pause) => setTimeout(fit, pause));
  addEventListener("resize", fit);
  return () => removeEventListener("resize", fit);
}

/** Take the largest size with which the lesson ends above the lower edge of the window. */
function fit() {
  const lesson = document.querySelector(".st-key-lesson");
  if (!lesson) return;
  for (let size = MOST; size >= LEAST; size -= STEP) {
    document.documentElement.style.setProperty("--ev-lecture", size.toFixed(2));
    if (lesson.getBoundingClientRect().bottom + document.scrollingElement.scrollTop <= innerHeight - SPARE) return;
  }
}
