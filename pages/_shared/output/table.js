// What tables of words share; goes before their own text. Words are untrusted: textContent only.
function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** The first row: a title and its class for each column. */
function head(columns) {
  const row = element("tr");
  row.append(...columns.map(([title, className]) => element("th", className, title)));
  const part = element("thead");
  part.append(row);
  return part;
}

/** Draws the table in the place of the one before. */
function draw(parent, label, className, columns, rows) {
  const table = element("table", className);
  table.setAttribute("aria-label", label);
  const body = element("tbody");
  body.append(...rows);
  table.append(head(columns), body);
  parent.querySelector("table")?.remove();
  parent.append(table);
}
