/** Makes a lesson in the lecture view as large as the window holds. */

const [MOST, LEAST, STEP] = [1.3, 0.8, 0.05]; // of the normal size
const PAUSE = 300; // ms between two looks: figures and formulas draw a while after the page
const SPARE = 8; // px below the lesson

/** @type {ReturnType<typeof setInterval> | undefined} */
let looking;
let fitted = ""; // the window and the lesson when its size was last chosen

/** Runs at each run of the page. */
export default function lecture() {
  clearInterval(looking);
  looking = setInterval(look, PAUSE);
  look();
  return () => clearInterval(looking);
}

/** Choose the size again where the window or the lesson has changed. */
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
