// A table of words: word (a button), bar, value, mark. Words are untrusted: textContent only.
function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function head(header) {
  const row = element("tr");
  row.append(element("th", "", header[0]), element("th", "bar"), element("th", "num", header[1]));
  if (header[2]) row.append(element("th", "mark", header[2]));
  const part = element("thead");
  part.append(row);
  return part;
}

function line(row, data, choose) {
  const made = element("tr");
  const button = element("button", "", row.word);
  button.type = "button";
  button.title = row.word;
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
  made.append(word, bar, element("td", "num", row.value));
  if (data.header[2]) {
    const mark = element("td", "mark", row.mark);
    mark.title = row.said;
    mark.setAttribute("aria-label", row.said);
    made.append(mark);
  }
  return made;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const table = element("table", data.quiet ? "quiet" : "");
  table.setAttribute("aria-label", data.label);
  const body = element("tbody");
  const choose = (word) => setTriggerValue("word", word);
  data.rows.forEach((row) => body.append(line(row, data, choose)));
  table.append(head(data.header), body);
  parentElement.querySelector("table")?.remove();
  parentElement.append(table);
}
