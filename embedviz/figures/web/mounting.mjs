/** The part of a component that is kept from run to run, and its drawing for a file. */

/**
 * Return a function that gives the part in a place: made at the first run, and the same at each later run.
 * @template T
 * @param {string} stale selector of what an older version of the component left there
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

/** Answer the export row with an SVG of a chart; return the function that ends this. @param {() => string | undefined} chartOf @param {() => SVGElement | null} draw */
export function answerDrawing(chartOf, draw) {
  const answer = (event) => {
    if (event.detail.chart === chartOf()) event.detail.drawing = draw();
  };
  globalThis.addEventListener(DRAWING, answer);
  return () => globalThis.removeEventListener(DRAWING, answer);
}

/** Return the SVG of a chart from the component that shows it, or null. @param {string} chart @returns {SVGElement | null} */
export function drawingOf(chart) {
  const detail = { chart, drawing: null };
  globalThis.dispatchEvent(new CustomEvent(DRAWING, { detail }));
  return detail.drawing;
}
