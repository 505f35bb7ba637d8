/** A table of words: word (a button), count, range, bar, value and marks. */

import { element } from "../../../embedviz/figures/web/elements.mjs";
import { bar, drawTable } from "../../../embedviz/figures/web/table.mjs";

function line(row, data, choose) {
  const title = row.label ? `${row.word}: ${row.label}` : row.word;
  const button = element("button", { type: "button", title }, row.label || row.word);
  button.addEventListener("click", () => choose(row.word));
  const cells = [element("td", { class: "word" }, button)];
  if (data.counted) cells.push(element("td", { class: "count" }, row.count));
  if (data.ranges) cells.push(element("td", { class: "range" }, row.range));
  if (row.bar !== null) cells.push(element("td", { class: "bar" }, bar(row.bar, row.tick ?? data.tick)), element("td", { class: "num" }, row.value));
  for (const [mark, said] of row.marks) cells.push(element("td", { class: "mark", title: said, "aria-label": said }, mark));
  return element("tr", {}, ...cells);
}

/** @param {{data: any, parentElement: any, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function wordlist({ data, parentElement, setTriggerValue }) {
  const choose = (word) => setTriggerValue("word", word);
  const [word, value, ...marks] = data.header;
  const barred = data.rows.some((row) => row.bar !== null);
  const columns = [[word], ...(data.counted ? [[data.counted, "count"]] : []), ...(data.ranges ? [[data.ranges, "range"]] : []), ...(barred ? [["", "bar"], [value, "num"]] : []), ...marks.map((title) => [title, "mark"])];
  const look = `${data.quiet ? "quiet" : ""} ${data.narrow ? "narrow" : ""} ${marks.length > 1 ? "marked" : ""}`.trim();
  drawTable(parentElement, data.label, look, columns, data.rows.map((row) => line(row, data, choose)));
}
