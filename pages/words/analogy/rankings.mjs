/** Lists of words side by side, each word a button. */

import { element } from "../../../embedviz/figures/web/elements.mjs";
import { drawTable } from "../../../embedviz/figures/web/table.mjs";

/** Return a cell of the table: a button for {word, said, shown}, a text for {text}. */
function cellOf(cell, data, choose) {
  if (cell.word === undefined) return element("td", {}, cell.text);
  const roles = { answer: cell.word === data.answer, expected: cell.word === data.expected, own: data.own.includes(cell.word) };
  const kind = Object.entries(roles).find(([, held]) => held)?.[0] ?? "";
  const button = element("button", { type: "button", class: kind, title: cell.said }, cell.shown ?? cell.word);
  button.addEventListener("click", () => choose(cell.word));
  return element("td", {}, button);
}

/** @param {{data: any, parentElement: any, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function rankings({ data, parentElement, setTriggerValue }) {
  const choose = (word) => setTriggerValue("word", word);
  const titled = (title) => element("tr", {}, element("th", { class: "title", colspan: data.header.length + 1 }, title));
  const rows = data.blocks.flatMap((block) => [
    ...(block.title ? [titled(block.title)] : []),
    ...block.rows.map((cells, rank) => {
      const place = element("td", { class: "rank" }, block.ranked ? String(rank + 1) : "…");
      return element("tr", {}, place, ...cells.map((cell) => cellOf(cell, data, choose)));
    }),
  ]);
  drawTable(parentElement, data.label, "", [["", "rank"], ...data.header.map((title) => [title])], rows);
}
