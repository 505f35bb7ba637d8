/** What a component keeps from run to run, and what it draws of itself for a file. */

/**
 * A function that gives the part in a place: made at the first run, the same at each later one.
 * @template T
 * @param {string} stale what an older version of the component left there
 * @param {(parent: any, data: any) => T} make
 * @returns {(parent: any, data: any) => T}
 */
export function mounting(stale, make) {
  /** @type {WeakMap<object, T>} */
  const parts = new WeakMap();
  return (parent, data) => {
    if (!parts.has(parent)) {
      parent.querySelector(stale)?.remove();
      parts.set(parent, make(parent, data));
    }
    return parts.get(parent);
  };
}

const DRAWING = "embedviz:drawing";

/** Answer the export row with an SVG of a chart; returns what ends that. @param {() => string | undefined} chartOf @param {() => SVGElement | null} draw */
export function answerDrawing(chartOf, draw) {
  const answer = (event) => {
    if (event.detail.chart === chartOf()) event.detail.drawing = draw();
  };
  globalThis.addEventListener(DRAWING, answer);
  return () => globalThis.removeEventListener(DRAWING, answer);
}

/** The SVG of a chart by the component that shows it, or null. @param {string} chart @returns {SVGElement | null} */
export function drawingOf(chart) {
  const detail = { chart, drawing: null };
  globalThis.dispatchEvent(new CustomEvent(DRAWING, { detail }));
  return detail.drawing;
}
