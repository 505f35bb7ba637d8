/** Enlarge a lesson in the lecture view until it fills the window. */

const [MOST, LEAST, STEP] = [1.3, 0.8, 0.05]; // multiples of the normal size
const PAUSE = 300; // ms between two checks: figures and formulas are drawn some time after the page
const SPARE = 8; // px free below the lesson

/** @type {ReturnType<typeof setInterval> | undefined} */
let looking;
let fitted = ""; // size of the window and of the lesson at the last choice

/** Start the checks; called in each run of the page. */
export default function lecture() {
  clearInterval(looking);
  looking = setInterval(look, PAUSE);
  look();
  return () => clearInterval(looking);
}

/** Choose the size again if the window or the lesson has changed. */
function look() {
  const lesson = document.querySelector(".st-key-lesson");
  if (!lesson || measured(lesson) === fitted) return;
  for (let size = MOST; size >= LEAST; size -= STEP) {
    document.documentElement.style.setProperty("--ev-lecture", size.toFixed(2));
    if (lesson.getBoundingClientRect().bottom + document.scrollingElement.scrollTop <= innerHeight - SPARE) break;
  }
  fitted = measured(lesson);
}

const measured = (lesson) => `${innerWidth} ${innerHeight} ${lesson.getBoundingClientRect().height}`;
