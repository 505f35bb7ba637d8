// Lists of words side by side, each word a button.
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
  const choose = (word) => setTriggerValue("word", word);
  const rows = data.blocks.flatMap((block) => [
    ...(block.title ? [titled(block.title, data.header.length)] : []),
    ...block.rows.map((cells, rank) => {
      const row = element("tr");
      row.append(element("td", "rank", block.ranked ? String(rank + 1) : "…"), ...cells.map((cell) => cellOf(cell, data, choose)));
      return row;
    }),
  ]);
  draw(parentElement, data.label, "", [["", "rank"], ...data.header.map((title) => [title])], rows);
}
