// A table of words: word (a button), bar, value, mark.
function line(row, data, choose) {
  const made = element("tr");
  const button = element("button", "", row.label || row.word);
  button.type = "button";
  button.title = row.label ? `${row.word}: ${row.label}` : row.word;
  button.addEventListener("click", () => choose(row.word));
  const word = element("td", "word");
  word.append(button);
  const bar = element("td", "bar");
  const track = element("div", "track");
  const fill = element("i");
  fill.style.width = `${100 * Math.max(0, Math.min(1, row.bar))}%`;
  track.append(fill);
  if (data.tick !== null) {
    const tick = element("b");
    tick.style.left = `${100 * data.tick}%`;
    track.append(tick);
  }
  bar.append(track);
  made.append(word);
  if (row.bar !== null) made.append(bar, element("td", "num", row.value));
  if (data.header[2]) {
    const mark = element("td", "mark", row.mark);
    mark.title = row.said;
    mark.setAttribute("aria-label", row.said);
    made.append(mark);
  }
  return made;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const choose = (word) => setTriggerValue("word", word);
  const [word, value, mark] = data.header;
  const barred = data.rows.some((row) => row.bar !== null);
  const columns = [[word], ...(barred ? [["", "bar"], [value, "num"]] : []), ...(mark ? [[mark, "mark"]] : [])];
  const look = `${data.quiet ? "quiet" : ""} ${data.narrow ? "narrow" : ""}`.trim();
  draw(parentElement, data.label, look, columns, data.rows.map((row) => line(row, data, choose)));
}
