/** Rankings of texts side by side; on a phone one at a time. Texts are untrusted: they are set as text nodes only. */

import { element } from "../../../embedviz/figures/web/elements.mjs";
import { bar } from "../../../embedviz/figures/web/table.mjs";

const chosen = new Map(); // key -> the column that a phone shows

/** Return the passage of a hit; its pieces are [text, whether it is marked]. */
function passage(hit) {
  const pieces = hit.pieces.map(([text, marked]) => (marked ? element("mark", {}, text) : text));
  return element("p", { class: "passage", dir: "auto" }, hit.before ? "… " : "", ...pieces, hit.after ? " …" : "");
}

/** Return what made the score: words with small bars. */
function shares(hit) {
  const one = ({ word, bar: share, said }) =>
    element("span", { class: "share", title: said, "aria-label": said }, element("span", { class: "name", dir: "auto" }, word), bar(share, null));
  return element("div", { class: "shares" }, ...hit.words.map(one));
}

function card(hit, column, data, choose) {
  const title = element("span", { class: "title", dir: "auto" }, hit.title);
  const [rank, score] = [element("span", { class: "rank" }, String(hit.rank)), element("span", { class: "score" }, hit.score)];
  const button = element("button", { type: "button", title: hit.said }, rank, title, score);
  button.addEventListener("click", () => choose({ by: column.name, row: hit.row }));
  const about = hit.about ? [element("p", { class: "about" }, hit.about)] : [];
  const kind = data.shown === `${column.name}:${hit.row}` ? "shown" : "";
  return element("li", { class: kind }, button, bar(hit.bar, column.tick), ...about, passage(hit), shares(hit));
}

function listed(column, data, choose) {
  const list = element("ol", { "aria-label": `${data.label}: ${column.title}` }, ...column.hits.map((hit) => card(hit, column, data, choose)));
  const none = column.hits.length ? [] : [element("p", { class: "none" }, column.none)];
  const answer = column.answer ? [element("p", { class: "answer" }, column.answer)] : [];
  const head = [
    element("h3", {}, column.title),
    element("p", { class: "compares" }, column.compares),
    ...answer,
    element("p", { class: "note" }, column.note),
  ];
  return element("section", { class: "column", "data-name": column.name }, ...head, ...none, list);
}

/** @param {{data: any, parentElement: any, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function hits({ data, parentElement, setTriggerValue }) {
  const choose = (hit) => setTriggerValue("hit", hit);
  const columns = data.columns.map((column) => listed(column, data, choose));
  const grid = element("div", { class: "grid", style: `--columns: ${data.columns.length}` }, ...columns);
  const tabs = data.columns.map((column) => element("button", { type: "button", "data-name": column.name }, column.title));
  const show = (name) => {
    chosen.set(data.key, name);
    for (const one of columns) one.classList.toggle("front", one.dataset.name === name);
    for (const one of tabs) one.setAttribute("aria-pressed", String(one.dataset.name === name));
  };
  for (const tab of tabs) tab.addEventListener("click", () => show(tab.dataset.name));
  const root = element("div", { class: data.lecture ? "hits lecture" : "hits" }, grid);
  if (tabs.length > 1) root.prepend(element("div", { class: "tabs", role: "group", "aria-label": "Method" }, ...tabs));
  parentElement.querySelector(".hits")?.remove();
  parentElement.append(root);
  const names = data.columns.map((column) => column.name);
  if (names.length) show(names.includes(chosen.get(data.key)) ? chosen.get(data.key) : data.front);
}
