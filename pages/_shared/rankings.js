// Lists of words side by side, each word a button. Words are untrusted: textContent only.
function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function head(header) {
  const row = element("tr");
  row.append(element("th", "rank"), ...header.map((title) => element("th", "", title)));
  const part = element("thead");
  part.append(row);
  return part;
}

function titled(title, columns) {
  const row = element("tr");
  const cell = element("th", "title", title);
  cell.colSpan = columns + 1;
  row.append(cell);
  return row;
}

/** A cell is {word, said, shown} for a button, else {text}. */
function cellOf(cell, data, choose) {
  const made = element("td");
  if (cell.word === undefined) {
    made.textContent = cell.text;
    return made;
  }
  const kind = cell.word === data.marked ? "marked" : data.own.includes(cell.word) ? "own" : "";
  const button = element("button", kind, cell.shown ?? cell.word);
  button.type = "button";
  button.title = cell.said;
  button.addEventListener("click", () => choose(cell.word));
  made.append(button);
  return made;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const table = element("table");
  table.setAttribute("aria-label", data.label);
  const body = element("tbody");
  const choose = (word) => setTriggerValue("word", word);
  for (const block of data.blocks) {
    if (block.title) body.append(titled(block.title, data.header.length));
    block.rows.forEach((cells, rank) => {
      const row = element("tr");
      row.append(element("td", "rank", block.ranked ? String(rank + 1) : "…"), ...cells.map((cell) => cellOf(cell, data, choose)));
      body.append(row);
    });
  }
  table.append(head(data.header), body);
  parentElement.querySelector("table")?.remove();
  parentElement.append(table);
}
