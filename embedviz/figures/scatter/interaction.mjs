/** Mouse, pen, fingers and keys. */

import { guestAt } from "./overlay.mjs";
import { regionAt, walk, walkClasses } from "./walking.mjs";

const TAP_PX = 6;
const MOUSE_RADIUS = 12;
const TOUCH_RADIUS = 24;

/** @typedef {import("./view.mjs").View} View */
/** @typedef {(type: string, act: (event: any) => void, options?: AddEventListenerOptions) => void} On listens to the map's canvas */

/** Listen to the reader's input on a view; return the function that stops listening. @param {View} view */
export function listen(view) {
  const { over, shell, steering } = view;
  const ending = new AbortController();
  const { signal } = ending;
  /** @type {On} */
  const on = (type, act, options = {}) => over.addEventListener(type, act, { signal, ...options });
  const press = (button, act) => button.addEventListener("click", () => (act(), over.focus({ preventScroll: true })), { signal });
  listenToPointers(view, on);
  listenToWheel(view, on);
  on("keydown", (event) => answerKey(view, event));
  press(shell.trails, () => steering.toTrails());
  press(shell.reset, () => steering.reset());
  return () => ending.abort();
}

/** @param {View} view @param {MouseEvent} event */
function placeOf({ over }, event) {
  const box = over.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/** @param {View} view */
const isSolid = ({ state }) => state.geometry?.dimensions === 3;

/** Handle drags, taps, pinches and hovering. @param {View} view @param {On} on */
function listenToPointers(view, on) {
  const { over, steering, state } = view;
  /** @type {Map<number, {x: number, y: number}>} */
  const pointers = new Map();
  let from = { x: 0, y: 0 };
  let far = 0;
  let pinched = false;

  on("pointerdown", (event) => {
    if (event.button > 0 && !(event.button === 2 && isSolid(view))) return;
    const at = placeOf(view, event);
    pointers.set(event.pointerId, at);
    if (pointers.size === 1) [from, far, pinched] = [at, 0, false];
    else pinched = true;
    if (event.pointerType !== "touch") over.setPointerCapture(event.pointerId);
  });

  on("pointermove", (event) => {
    const at = placeOf(view, event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== "touch") steering.moving ? view.hover(-1) : pointAt(view, at.x, at.y, MOUSE_RADIUS);
      return;
    }
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, at);
    if (other) {
      pinch(view, before, at, other);
      return;
    }
    far = Math.max(far, Math.hypot(at.x - from.x, at.y - from.y));
    if (far < TAP_PX) return;
    if (event.pointerType === "touch" && state.isHome() && !isSolid(view)) return; // the finger scrolls the page
    over.classList.add("dragging");
    view.hover(-1);
    steering.drag(at.x - before.x, at.y - before.y, event.shiftKey || (event.buttons & 2) > 0);
  });
  on("contextmenu", (event) => isSolid(view) && event.preventDefault());

  const lift = (event) => {
    const held = pointers.delete(event.pointerId);
    over.classList.remove("dragging");
    return held;
  };
  on("pointerup", (event) => {
    if (!lift(event) || event.button === 2 || far >= TAP_PX || pinched) return;
    tap(view, event);
  });
  on("pointercancel", lift);
  on("pointerleave", (event) => {
    if (event.pointerType !== "touch" && !pointers.size) view.hover(-1);
  });
}

/** Move the map with the middle of two fingers, and zoom it with their distance. @param {View} view @param {{x: number, y: number}} before @param {{x: number, y: number}} at @param {{x: number, y: number}} other */
function pinch({ steering }, before, at, other) {
  const [was, is] = [before, at].map(({ x, y }) => Math.hypot(x - other.x, y - other.y));
  steering.pan((at.x - before.x) / 2, (at.y - before.y) / 2);
  if (was > 0 && is > 0) steering.zoom((at.x + other.x) / 2, (at.y + other.y) / 2, is / was);
}

/** Show ring and tooltip for the guest or point under a pixel, a guest first; return the row of the point, or -1. @param {View} view @param {number} px @param {number} py @param {number} radius */
function pointAt(view, px, py, radius) {
  const { state, pointer } = view;
  const found = state.guests.length && state.geometry ? guestAt({ guests: state.guests, transform: state.transform() }, px, py, radius) : null;
  const row = found ? -1 : view.rowAt(px, py, radius);
  view.hover(row);
  if (found) {
    pointer.show(found.guest.word, found.guest.about ?? "");
    pointer.place(found.x, found.y, state);
  }
  return row;
}

/** Choose the word under a tap. @param {View} view @param {PointerEvent} event */
function tap(view, event) {
  const { x, y } = placeOf(view, event);
  view.touched = event.pointerType === "touch";
  const region = regionAt(view, x, y);
  if (region) {
    view.filter?.editRegion(region);
    return;
  }
  view.choose(pointAt(view, x, y, view.touched ? TOUCH_RADIUS : MOUSE_RADIUS));
}

/** Handle the wheel, double clicks, and touches that scroll the page. @param {View} view @param {On} on */
function listenToWheel(view, on) {
  const { steering } = view;
  on("dblclick", (event) => {
    event.preventDefault();
    const { x, y } = placeOf(view, event);
    if (isSolid(view)) steering.reset();
    else steering.glideZoom(x, y, event.shiftKey ? 0.5 : 2);
  });
  const turn = (event) => {
    event.preventDefault();
    const { x, y } = placeOf(view, event);
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const pull = Math.min(Math.max(event.deltaY * lines, -240), 240);
    steering.zoom(x, y, Math.exp(-pull * (event.ctrlKey ? 0.01 : 0.002)));
  };
  on("wheel", turn, { passive: false });
  // Two fingers belong to the map, so the page does not scroll under a pinch; one finger scrolls while all is shown.
  const keep = (event) => {
    if (event.touches.length > 1 && event.cancelable) event.preventDefault();
  };
  on("touchstart", keep, { passive: false });
  on("touchmove", keep, { passive: false });
}

/** @param {View} view @param {KeyboardEvent} event */
function answerKey(view, event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const { steering, state } = view;
  const step = event.shiftKey ? 200 : 60;
  const zoom = (factor) => () => steering.zoom(state.width / 2, state.tall / 2, factor);
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => steering.drag(step, 0),
    ArrowRight: () => steering.drag(-step, 0),
    ArrowUp: () => steering.drag(0, step),
    ArrowDown: () => steering.drag(0, -step),
    "+": zoom(1.5),
    "=": zoom(1.5),
    "-": zoom(1 / 1.5),
    0: () => steering.reset(),
    Home: () => steering.reset(),
    n: () => walk(view, 1),
    "]": () => walk(view, 1),
    p: () => walk(view, -1),
    "[": () => walk(view, -1),
    c: () => walkClasses(view, 1),
    C: () => walkClasses(view, -1),
    t: () => view.turntable.start(),
    Enter: () => view.choose(view.hovered),
    " ": () => view.choose(view.hovered),
    Escape: () => view.hover(-1),
  };
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
