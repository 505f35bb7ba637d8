/** Mouse, pen, fingers and keys. */

const TAP_PX = 6;
const MOUSE_RADIUS = 12;
const TOUCH_RADIUS = 24;

/**
 * Makes a view answer to its reader; returns what undoes it.
 * @param {import("./view.mjs").View} view
 */
export function listen(view) {
  const { over } = view;
  const ending = new AbortController();
  const { signal } = ending;
  /** @type {Map<number, {x: number, y: number}>} */
  const pointers = new Map();
  let from = { x: 0, y: 0 };
  let far = 0;
  let pinched = false;

  const place = (event) => {
    const box = over.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const isSolid = () => view.state.geometry?.dimensions === 3;
  const on = (type, act, options = {}) => over.addEventListener(type, act, { signal, ...options });

  on("pointerdown", (event) => {
    if (event.button > 0 && !(event.button === 2 && isSolid())) return;
    const at = place(event);
    pointers.set(event.pointerId, at);
    if (pointers.size === 1) [from, far, pinched] = [at, 0, false];
    else pinched = true;
    if (event.pointerType !== "touch") over.setPointerCapture(event.pointerId);
  });

  on("pointermove", (event) => {
    const at = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== "touch") view.hover(view.steering.moving ? -1 : view.rowAt(at.x, at.y, MOUSE_RADIUS));
      return;
    }
    const others = [...pointers].filter(([id]) => id !== event.pointerId);
    pointers.set(event.pointerId, at);
    if (others.length) {
      const other = others[0][1];
      const [was, is] = [Math.hypot(before.x - other.x, before.y - other.y), Math.hypot(at.x - other.x, at.y - other.y)];
      view.steering.pan((at.x - before.x) / 2, (at.y - before.y) / 2);
      if (was > 0 && is > 0) view.steering.zoom((at.x + other.x) / 2, (at.y + other.y) / 2, is / was);
      return;
    }
    far = Math.max(far, Math.hypot(at.x - from.x, at.y - from.y));
    if (far < TAP_PX) return;
    if (event.pointerType === "touch" && view.state.isHome() && !isSolid()) return; // the finger scrolls the page
    over.classList.add("dragging");
    view.hover(-1);
    view.steering.drag(at.x - before.x, at.y - before.y, event.shiftKey || (event.buttons & 2) > 0);
  });
  on("contextmenu", (event) => isSolid() && event.preventDefault());

  const lift = (event) => {
    const held = pointers.delete(event.pointerId);
    over.classList.remove("dragging");
    return held;
  };
  on("pointerup", (event) => {
    if (!lift(event) || event.button === 2 || far >= TAP_PX || pinched) return;
    const touch = event.pointerType === "touch";
    const { x, y } = place(event);
    const row = view.rowAt(x, y, touch ? TOUCH_RADIUS : MOUSE_RADIUS);
    view.touched = touch;
    view.hover(row);
    view.choose(row);
  });
  on("pointercancel", lift);
  on("pointerleave", (event) => {
    if (event.pointerType !== "touch" && !pointers.size) view.hover(-1);
  });

  on("dblclick", (event) => {
    event.preventDefault();
    if (isSolid()) {
      view.steering.reset();
      return;
    }
    const { x, y } = place(event);
    view.steering.glideZoom(x, y, event.shiftKey ? 0.5 : 2);
  });

  on(
    "wheel",
    (event) => {
      event.preventDefault();
      const { x, y } = place(event);
      const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
      const pull = Math.min(Math.max(event.deltaY * lines, -240), 240);
      view.steering.zoom(x, y, Math.exp(-pull * (event.ctrlKey ? 0.01 : 0.002)));
    },
    { passive: false },
  );

  // Two fingers belong to the map, so the page does not scroll under a pinch; one finger scrolls while all is shown.
  const keep = (event) => {
    if (event.touches.length > 1 && event.cancelable) event.preventDefault();
  };
  on("touchstart", keep, { passive: false });
  on("touchmove", keep, { passive: false });

  on("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = event.shiftKey ? 200 : 60;
    const [x, y] = [view.state.width / 2, view.state.tall / 2];
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => view.steering.drag(step, 0),
      ArrowRight: () => view.steering.drag(-step, 0),
      ArrowUp: () => view.steering.drag(0, step),
      ArrowDown: () => view.steering.drag(0, -step),
      "+": () => view.steering.zoom(x, y, 1.5),
      "=": () => view.steering.zoom(x, y, 1.5),
      "-": () => view.steering.zoom(x, y, 1 / 1.5),
      0: () => view.steering.reset(),
      Home: () => view.steering.reset(),
      n: () => view.walk(1),
      "]": () => view.walk(1),
      p: () => view.walk(-1),
      "[": () => view.walk(-1),
      Enter: () => view.choose(view.hovered),
      " ": () => view.choose(view.hovered),
      Escape: () => view.hover(-1),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });

  view.shell.trails.addEventListener("click", () => { view.steering.toTrails(); over.focus({ preventScroll: true }); }, { signal });
  view.shell.reset.addEventListener("click", () => { view.steering.reset(); over.focus({ preventScroll: true }); }, { signal });
  return () => ending.abort();
}
