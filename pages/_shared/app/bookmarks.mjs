/**
 * Bookmarks of views, in this browser's own storage. Names are untrusted: they enter the page as text nodes only.
 *
 * `data`: {page, name, charts}. Trigger: `opened` ({page, query}), which opens the view without loading the page again.
 * A bookmark: {id, name, page, query, cameras: {chart: camera}}.
 */
import { download, element } from "../../../embedviz/figures/web/elements.mjs";
import { mounting } from "../../../embedviz/figures/web/mounting.mjs";

const KEY = "embedviz:bookmarks";
const MOST = 200;
const MOST_BYTES = 400_000; // of all bookmarks together, as text
const LONGEST = { name: 120, query: 8_000, camera: 2_000 };
const PATIENCE = 60_000; // ms to wait for the script of the maps
const HOW_MANY = `There are ${MOST} bookmarks already; delete one first.`;
let restoring = 0; // timer of the view whose maps are still loading

const controlIn = mounting(".root", (parent) => createControl(parent));

/** @param {{data: any, parentElement: any, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function bookmarks({ data, parentElement, setTriggerValue }) {
  const control = controlIn(parentElement, data);
  control.update(data, setTriggerValue);
  return () => setTimeout(control.end);
}

// ---- storage

/** Return whether a value is a bookmark; a file or the storage may hold anything. */
function isBookmark(one) {
  return (
    typeof one === "object" &&
    one !== null &&
    typeof one.id === "string" &&
    typeof one.name === "string" &&
    one.name.length <= LONGEST.name &&
    typeof one.page === "string" &&
    /^[\w-]{0,60}$/.test(one.page) &&
    typeof one.query === "string" &&
    one.query.length <= LONGEST.query &&
    typeof one.cameras === "object" &&
    one.cameras !== null &&
    JSON.stringify(one.cameras).length <= LONGEST.camera
  );
}

/** Return the bookmarks in a JSON text, each id once; an empty list if the text is invalid. */
function parsed(text) {
  try {
    const listed = JSON.parse(text ?? "[]");
    const known = new Set();
    return (Array.isArray(listed) ? listed : [])
      .filter((one) => isBookmark(one) && !known.has(one.id) && known.add(one.id))
      .map(({ id, name, page, query, cameras }) => ({ id, name, page, query, cameras }))
      .slice(0, MOST);
  } catch {
    return [];
  }
}

function stored() {
  try {
    return parsed(localStorage.getItem(KEY));
  } catch {
    return []; // the browser stores nothing for this page
  }
}

/** Store the list; return an empty text, or why it could not be stored. */
function store(list) {
  const text = JSON.stringify(list);
  if (list.length > MOST) return HOW_MANY;
  if (text.length > MOST_BYTES) return "The bookmarks take too much room; delete one first.";
  try {
    localStorage.setItem(KEY, text);
    return "";
  } catch {
    return "This browser keeps nothing for this page.";
  }
}

// ---- views

function camerasOf(charts) {
  const found = charts.map((chart) => [chart, globalThis.embedvizMaps?.camera(chart)]);
  return Object.fromEntries(found.filter(([, camera]) => camera));
}

/** Restore the cameras of the maps, now or once their script is loaded; a later call replaces an earlier one. */
function restore(cameras, since = Date.now()) {
  clearTimeout(restoring);
  if (!Object.keys(cameras).length) return;
  if (!globalThis.embedvizMaps) {
    if (Date.now() - since < PATIENCE) restoring = setTimeout(restore, 100, cameras, since);
    return;
  }
  for (const [chart, camera] of Object.entries(cameras)) globalThis.embedvizMaps.restore(chart, camera);
}

// ---- the control

function icon(name) {
  return element("span", { class: "icon", "aria-hidden": "true", translate: "no" }, name);
}

function createControl(parent) {
  let data = { page: "", name: "", charts: [] };
  /** @type {(name: string, value: unknown) => void} */
  let trigger = () => {};
  let typed = false;

  const toggle = element("button", { class: "toggle", type: "button", "aria-label": "Bookmarks", "aria-expanded": "false", title: "Bookmarks" }, icon("bookmark"));
  const name = element("input", { type: "text", maxlength: String(LONGEST.name), "aria-label": "Name of the bookmark" });
  const form = element("form", {}, name, element("button", { class: "save", type: "submit" }, "Save view"));
  const list = element("ul", { "aria-label": "Bookmarks" });
  const told = element("p", { class: "muted", role: "status" });
  const exported = element("button", { type: "button" }, icon("download"), "Save as file");
  const file = element("input", { type: "file", accept: "application/json,.json", "aria-label": "Add bookmarks from a file" });
  const imported = element("label", { class: "file" }, icon("upload_file"), "Add from file", file);
  const foot = element("div", { class: "foot" }, exported, imported);
  const panel = element("div", { class: "panel", role: "dialog", "aria-label": "Bookmarks" }, element("h2", {}, "Bookmarks"), form, list, told, foot);
  panel.hidden = true;
  const root = element("div", { class: "root" }, toggle, panel);
  parent.append(root);

  const say = (text = "") => {
    told.textContent = text || (list.children.length ? "" : "Kept in this browser alone. A bookmark is the view with its words, settings and place on the map.");
    told.hidden = !told.textContent;
  };

  function show(text) {
    const listed = stored();
    list.replaceChildren(...listed.map(row));
    exported.hidden = !listed.length;
    say(text);
  }

  function row(bookmark) {
    const open = element("button", { class: "open", type: "button", title: bookmark.name }, bookmark.name);
    open.addEventListener("click", () => go(bookmark));
    const rename = element("button", { class: "small", type: "button", "aria-label": `Rename ${bookmark.name}`, title: "Rename" }, icon("edit"));
    rename.addEventListener("click", () => renaming(bookmark, item));
    const remove = element("button", { class: "small", type: "button", "aria-label": `Delete ${bookmark.name}`, title: "Delete" }, icon("close"));
    remove.addEventListener("click", () => {
      show(store(stored().filter((one) => one.id !== bookmark.id)));
      name.focus();
    });
    const item = element("li", {}, open, rename, remove);
    return item;
  }

  function renaming(bookmark, item) {
    const box = element("input", { type: "text", maxlength: String(LONGEST.name), "aria-label": "New name" });
    box.value = bookmark.name;
    const rename = element("form", {}, box, element("button", { class: "save", type: "submit" }, "Rename"));
    rename.addEventListener("submit", (event) => {
      event.preventDefault();
      const wanted = box.value.trim() || bookmark.name;
      show(store(stored().map((one) => (one.id === bookmark.id ? { ...one, name: wanted } : one))));
    });
    item.replaceChildren(rename);
    box.select();
  }

  function go(bookmark) {
    close();
    restore(bookmark.cameras);
    trigger("opened", { page: bookmark.page, query: bookmark.query });
  }

  function open() {
    panel.hidden = false;
    toggle.setAttribute("aria-expanded", "true");
    typed = false;
    name.value = data.name.slice(0, LONGEST.name);
    show();
    name.select();
    document.addEventListener("pointerdown", outside, true);
    globalThis.addEventListener("storage", elsewhere);
  }

  function close() {
    panel.hidden = true;
    toggle.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    globalThis.removeEventListener("storage", elsewhere);
  }

  const outside = (event) => event.composedPath().includes(root) || close();
  const elsewhere = (event) => event.key === KEY && show(); // another tab has stored or deleted a bookmark

  toggle.addEventListener("click", () => (panel.hidden ? open() : close()));
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden) return;
    close();
    toggle.focus();
  });
  name.addEventListener("input", () => (typed = true));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { search } = location;
    if (search.length > LONGEST.query) return say("The address of this view is too long for a bookmark.");
    const listed = stored();
    if (listed.length >= MOST) return say(HOW_MANY);
    const made = {
      id: String(crypto.getRandomValues(new Uint32Array(2)).join("-")),
      name: name.value.trim() || data.name.slice(0, LONGEST.name) || "View",
      page: data.page,
      query: search,
      cameras: camerasOf(data.charts),
    };
    show(store([made, ...listed]) || "Saved.");
  });
  exported.addEventListener("click", () => {
    download(new Blob([JSON.stringify(stored(), null, 1)], { type: "application/json" }), "embedviz-bookmarks.json");
  });
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    const text = chosen.size <= 2 * MOST_BYTES ? await chosen.text().catch(() => "") : "";
    file.value = "";
    const listed = stored();
    const known = new Set(listed.map((one) => one.id));
    const more = parsed(text).filter((one) => !known.has(one.id));
    if (!more.length) return say("There is no new bookmark in this file.");
    show(store([...listed, ...more]) || `${more.length} added.`);
  });

  return {
    update(next, setTriggerValue) {
      [data, trigger] = [next, setTriggerValue];
      if (!panel.hidden && !typed) name.value = data.name.slice(0, LONGEST.name);
    },
    end: () => root.isConnected || close(),
  };
}
