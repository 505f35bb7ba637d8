// Rankings of texts side by side; on a phone one at a time. Texts are untrusted: textContent only.
const chosen = new Map(); // label -> the column that a phone shows

function bar(share, tick) {
  const track = element("div", "track");
  const fill = element("i");
  fill.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
  track.append(fill);
  if (tick !== null) {
    const line = element("b");
    line.style.left = `${100 * Math.max(0, Math.min(1, tick))}%`;
    track.append(line);
  }
  return track;
}

/** The passage: pieces are [text, whether it is marked]. */
function passage(hit) {
  const made = element("p", "passage");
  made.dir = "auto";
  if (hit.before) made.append("… ");
  for (const [text, marked] of hit.pieces) made.append(marked ? element("mark", "", text) : text);
  if (hit.after) made.append(" …");
  return made;
}

/** What made the score: words with small bars. */
function shares(hit) {
  const made = element("div", "shares");
  for (const { word, bar: share, said } of hit.words) {
    const one = element("span", "share");
    one.title = said;
    one.setAttribute("aria-label", said);
    const name = element("span", "name", word);
    name.dir = "auto";
    one.append(name, bar(share, null));
    made.append(one);
  }
  return made;
}

function card(hit, column, data, choose) {
  const made = element("li", data.shown === `${column.name}:${hit.row}` ? "shown" : "");
  const button = element("button");
  button.type = "button";
  button.title = hit.said;
  const title = element("span", "title", hit.title);
  title.dir = "auto";
  button.append(element("span", "rank", String(hit.rank)), title, element("span", "score", hit.score));
  button.addEventListener("click", () => choose({ by: column.name, row: hit.row }));
  made.append(button, bar(hit.bar, column.tick));
  if (hit.about) made.append(element("p", "about", hit.about));
  made.append(passage(hit), shares(hit));
  return made;
}

function drawn(column, data, choose) {
  const made = element("section", "column");
  made.dataset.name = column.name;
  made.append(element("h3", "", column.title), element("p", "note", column.note));
  if (!column.hits.length) made.append(element("p", "none", column.none));
  const list = element("ol");
  list.setAttribute("aria-label", `${data.label}: ${column.title}`);
  list.append(...column.hits.map((hit) => card(hit, column, data, choose)));
  made.append(list);
  return made;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const choose = (hit) => setTriggerValue("hit", hit);
  const root = element("div", "hits");
  const tabs = element("div", "tabs");
  tabs.setAttribute("role", "group");
  tabs.setAttribute("aria-label", "Method");
  const grid = element("div", "grid");
  grid.style.setProperty("--columns", data.columns.length);
  grid.append(...data.columns.map((column) => drawn(column, data, choose)));
  const names = data.columns.map((column) => column.name);
  const show = (name) => {
    chosen.set(data.key, name);
    for (const one of grid.children) one.classList.toggle("front", one.dataset.name === name);
    for (const one of tabs.children) one.setAttribute("aria-pressed", String(one.dataset.name === name));
  };
  for (const column of data.columns) {
    const tab = element("button", "", column.title);
    tab.type = "button";
    tab.dataset.name = column.name;
    tab.addEventListener("click", () => show(column.name));
    tabs.append(tab);
  }
  if (names.length > 1) root.append(tabs);
  root.append(grid);
  parentElement.querySelector(".hits")?.remove();
  parentElement.append(root);
  if (names.length) show(names.includes(chosen.get(data.key)) ? chosen.get(data.key) : names[0]);
}
