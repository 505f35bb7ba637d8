/** The tool bar on the map, and what is drawn with it: a lasso or a box around words. */

import { drawn, element, icon } from "../web/elements.mjs";
import { meaning } from "./legend.mjs";
import { combined, messageOf, rowsInBox, rowsWithin } from "./selection.mjs";

/** @typedef {"move" | "lasso" | "box"} Tool */
/** @typedef {{pointer: number, type: string, tool: Tool, path: number[], how: "new" | "add" | "take"}} Drawing */

const HELP = "L draws a lasso, B a box, M moves the map again. S selects the word in hand, Escape clears the selection.";
const MOST_LISTED = 200; // words that are read one by one; the table beside the map has all
const TAP_PX = 6;
const STEP_PX = 2; // a shorter move adds no corner
const RADIUS = { mouse: 12, touch: 24 };

/** Name, what it does, and its icon as strokes on 20 × 20. @type {Record<Tool, [string, string, string]>} */
const TOOLS = {
  move: ["Move", "Drag moves the map (M)", "M10 3v14M3 10h14M7.8 5.2 10 3l2.2 2.2M7.8 14.8 10 17l2.2-2.2M5.2 7.8 3 10l2.2 2.2M14.8 7.8 17 10l-2.2 2.2"],
  lasso: [
    "Lasso",
    "Draw around words (L). Ctrl adds, Alt takes away",
    "M5.3 12.2C3.6 11.3 2.5 10 2.5 8.5 2.5 5.7 5.9 3.5 10 3.5s7.5 2.2 7.5 5-3.4 5-7.5 5c-.8 0-1.6-.1-2.3-.2M5.3 12.2a1.5 1.5 0 1 0 2.4 1.1 1.5 1.5 0 0 0-2.4-1.1M6.9 15c.1 1-.3 1.8-1.4 2.5",
  ],
  box: ["Box", "Draw a box around words (B). Ctrl adds, Alt takes away", "M3.5 6.5v-3h3M9 3.5h2M13.5 3.5h3v3M16.5 9v2M16.5 13.5v3h-3M11 16.5H9M6.5 16.5h-3v-3M3.5 11V9"],
};

const STYLE = `
.map .tools { display: flex; background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: 6px; }
.map .tools[hidden] { display: none; }
.map .tools button { display: grid; place-items: center; width: 32px; height: 30px; padding: 0; border: 0; border-radius: 5px; background: none; color: inherit;
  opacity: .72; cursor: pointer; }
.map .tools button:hover, .map .tools button[aria-pressed="true"] { opacity: 1; }
.map .tools button[aria-pressed="true"] { background: var(--st-secondary-background-color); box-shadow: inset 0 0 0 1px currentColor; }
.map .tools button:focus-visible, .map .picked:focus-visible { outline: 2px solid var(--st-text-color); outline-offset: 1px; }
.map .tools svg { width: 18px; height: 18px; fill: none; stroke: currentColor; stroke-width: 1.4; stroke-linecap: round; stroke-linejoin: round; }
.map .picked { height: 32px; padding: 0 10px; font: inherit; font-size: 13px; color: inherit; cursor: pointer;
  background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: 6px; }
.map .picked:hover { border-color: currentColor; }
.map .drawing { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; overflow: hidden; }
.map .drawing path { fill: var(--st-text-color); fill-opacity: .06; stroke: var(--st-text-color); stroke-width: 1.25; stroke-dasharray: 4 3; }
.map .over.draws, .map .over.draws.on, .map .over.draws.dragging { cursor: crosshair; touch-action: none; }
@media (max-width: 640px), (pointer: coarse) { .map .tools button { width: 40px; height: 40px; } .map .picked { height: 42px; } .map .bar .reset { height: 42px; } }
`;

/** Ids begin with a prefix of this page, so they differ from those of other pages of the visit. */
const OWN = Math.random().toString(36).slice(2, 8);
let made = 0;

/**
 * Give a view its tools; `offer` shows or hides them, `end` removes their listeners.
 * @param {import("./view.mjs").View} view
 */
export function equip(view) {
  const { root, over } = view;
  const ending = new AbortController();
  const { signal } = ending;
  /** @type {Tool} */
  let tool = "move";
  /** @type {Drawing | null} */
  let drawing = null;
  let offered = false;
  const help = view.shell.help.textContent;
  /** Pointers that move the map. @type {Set<number>} */
  const moving = new Set();
  /** Events that were given back to the map. @type {WeakSet<Event>} */
  const given = new WeakSet();

  const group = element("div", { class: "tools", role: "toolbar", "aria-label": "Map tools" });
  /** @type {Record<string, HTMLButtonElement>} */
  const buttons = {};
  for (const [name, [title, hint, path]] of Object.entries(TOOLS)) {
    buttons[name] = element("button", { type: "button", title: hint, "aria-label": title }, icon(path, {}, 20));
    buttons[name].addEventListener("click", () => take(/** @type {Tool} */ (name)), { signal });
    group.append(buttons[name]);
  }
  const picked = element("button", { class: "picked", type: "button" });
  picked.addEventListener("click", () => { clear(); over.focus({ preventScroll: true }); }, { signal });
  const path = drawn("path");
  const { bar } = view.shell;
  bar.prepend(picked);
  bar.append(group);
  root.append(element("style", {}, STYLE), drawn("svg", { class: "drawing", "aria-hidden": "true" }, path));

  /** @param {Tool} name */
  function take(name) {
    tool = name;
    for (const [key, button] of Object.entries(buttons)) button.setAttribute("aria-pressed", String(key === name));
    over.classList.toggle("draws", offered && tool !== "move");
    root.dataset.tool = tool;
  }

  function offer(on) {
    offered = on;
    group.hidden = !on;
    view.state.tooled = on;
    view.shell.help.textContent = on ? `${help} ${HELP}` : help;
    take(on ? tool : "move");
    tell();
  }

  /** Show the number of selected words next to the tools. */
  function tell() {
    const count = view.state.selection?.count ?? 0;
    picked.hidden = !count || !offered;
    picked.textContent = `${count.toLocaleString("en-US")} selected ×`;
    listSelected(view, MOST_LISTED);
    picked.setAttribute("aria-label", `Clear the selection of ${spoken(count)}`);
  }

  /** @param {ArrayLike<number>} rows @param {Drawing["how"]} how */
  function select(rows, how) {
    const { geometry } = view.state;
    const { mask, count } = combined(view.state.selection?.mask ?? null, rows, how, geometry.count);
    const selection = { id: `${OWN}${++made}`, of: geometry.id, mask, count, drawn: true };
    view.select(selection);
    view.speak(count ? `${spoken(count)} selected` : "Nothing is selected");
    view.onSelect(messageOf(selection), selection);
  }

  function clear() {
    if (view.state.selection?.count) select([], "new");
  }

  function drop() {
    drawing = null;
    path.removeAttribute("d");
  }

  const place = (event) => {
    const box = over.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  /** Return the tool that a pointer draws with; null if the pointer moves the map. @returns {Tool | null} */
  const toolOf = (event) => {
    if (tool !== "move") return tool;
    return event.shiftKey && event.pointerType !== "touch" && view.state.geometry.dimensions !== 3 ? "lasso" : null;
  };
  const howOf = (event, before) => (event.altKey ? "take" : event.ctrlKey || event.metaKey ? "add" : before);

  // These listeners run before those that move the map, and keep the events of a drawing from them.
  const on = (type, act, options = {}) => over.addEventListener(type, act, { signal, capture: true, ...options });

  on("pointerdown", (event) => {
    if (!offered || !view.state.geometry || given.has(event) || event.button > 0) return;
    if (drawing) {
      giveBack(drawing); // a second finger: both zoom
      moving.add(drawing.pointer).add(event.pointerId);
      drop();
      return;
    }
    const with_ = moving.size ? null : toolOf(event);
    if (!with_) {
      moving.add(event.pointerId);
      return;
    }
    event.stopImmediatePropagation();
    over.setPointerCapture(event.pointerId);
    over.focus({ preventScroll: true });
    view.hover(-1);
    drawing = { pointer: event.pointerId, type: event.pointerType, tool: with_, path: place(event), how: howOf(event, "new") };
  });

  on("pointermove", (event) => {
    if (drawing?.pointer !== event.pointerId) return;
    event.stopImmediatePropagation();
    drawing.how = howOf(event, drawing.how);
    const [x, y] = place(event);
    const { path: corners } = drawing;
    if (drawing.tool === "box") drawing.path = [...corners.slice(0, 2), x, y];
    else if (Math.hypot(x - corners.at(-2), y - corners.at(-1)) >= STEP_PX) corners.push(x, y);
    path.setAttribute("d", outline(drawing));
  });

  on("pointerup", (event) => {
    moving.delete(event.pointerId);
    if (drawing?.pointer !== event.pointerId) return;
    event.stopImmediatePropagation();
    drawing.how = howOf(event, drawing.how);
    const ended = drawing;
    drop();
    finish(ended);
  });

  on("pointercancel", (event) => {
    moving.delete(event.pointerId);
    if (drawing?.pointer === event.pointerId) drop();
  });

  on("wheel", (event) => {
    if (!drawing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { passive: false });

  /** @param {Drawing} ended */
  function finish({ tool: with_, path: corners, how, type }) {
    const [left, top, right, bottom] = boundsOf(corners);
    if (Math.max(right - left, bottom - top) < TAP_PX) {
      const row = view.rowAt(corners[0], corners[1], type === "touch" ? RADIUS.touch : RADIUS.mouse);
      view.touched = type === "touch";
      if (row >= 0) view.hover(row);
      row >= 0 ? view.choose(row) : clear();
      return;
    }
    view.land();
    const grid = view.located();
    const rect = { x: left, y: top, width: right - left, height: bottom - top };
    select(with_ === "box" ? rowsInBox(rect, grid) : rowsWithin(corners, grid, view.state.width, view.state.tall), how);
  }

  /** Let the finger that drew move the map from now on. @param {Drawing} stopped */
  function giveBack({ pointer, path: corners }) {
    const box = over.getBoundingClientRect();
    const event = new PointerEvent("pointerdown", {
      pointerId: pointer, pointerType: "touch", clientX: box.left + corners.at(-2), clientY: box.top + corners.at(-1),
    });
    given.add(event);
    over.dispatchEvent(event);
  }

  root.addEventListener("keydown", (event) => {
    if (!offered || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") {
      drawing ? drop() : clear();
      return;
    }
    if (event.composedPath()[0] !== over) return;
    /** @type {Record<string, () => void>} */
    const keys = {
      m: () => take("move"),
      l: () => take("lasso"),
      b: () => take("box"),
      s: () => view.hovered >= 0 && select([view.hovered], view.state.selection?.mask[view.hovered] ? "take" : "add"),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }, { signal, capture: true });

  view.onSelected = tell;
  offer(false);
  return { offer, end: () => ending.abort() };
}

/** List the selected words for screen readers, each with its class or value. @param {import("./view.mjs").View} view @param {number} most */
function listSelected({ state, shell: { list } }, most) {
  const { selection, geometry, paint } = state;
  /** @type {HTMLElement[]} */
  const items = [];
  for (let row = 0; selection?.count && row < selection.mask.length && items.length < most; row++) {
    if (!selection.mask[row]) continue;
    const line = paint ? meaning(paint, row) : "";
    items.push(element("li", {}, `${geometry.words.at(row)}${line ? `, ${line}` : ""}`));
  }
  const more = (selection?.count ?? 0) - items.length;
  if (more > 0) items.push(element("li", {}, `and ${more.toLocaleString("en-US")} more`));
  list.hidden = !items.length;
  list.setAttribute("aria-label", `Selected: ${spoken(selection?.count ?? 0)}`);
  list.replaceChildren(...items);
}

/** @param {number} count */
function spoken(count) {
  return count === 1 ? "1 word" : `${count.toLocaleString("en-US")} words`;
}

/** @param {number[]} path @returns {[number, number, number, number]} */
function boundsOf(path) {
  const xs = path.filter((_, k) => k % 2 === 0);
  const ys = path.filter((_, k) => k % 2 === 1);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** @param {Drawing} drawing */
function outline({ tool, path }) {
  const corners = tool === "box" ? [path[0], path[1], path[2], path[1], path[2], path[3], path[0], path[3]] : path;
  return `M${corners.map((v) => v.toFixed(1)).join(" ")}Z`;
}
