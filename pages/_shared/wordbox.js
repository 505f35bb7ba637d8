/**
 * A combobox whose completions come from the server. Words are untrusted: they enter the page as text nodes only.
 *
 * `data`: {label, value, token, placeholder, patterns}. Triggers: `word` (the text submitted), `stale` (a token that ended).
 */
const DELAY = 60; // ms of rest before the server is asked
const LONGEST = 200; // characters of a question
const INVISIBLE = /[\u2060\u2066-\u2069]/g; // what the page's own labels carry and a copied word brings along
const ICONS = {
  search: "M10.5 10.5 15 15M6.75 11.5a4.75 4.75 0 1 0 0-9.5 4.75 4.75 0 0 0 0 9.5Z",
  clear: "M3.5 3.5l9 9m0-9l-9 9",
};
const boxes = new WeakMap(); // shadow root -> box, so that a rerun updates and never rebuilds
let made = 0;

export default function ({ data, parentElement, setTriggerValue }) {
  let box = boxes.get(parentElement);
  if (!box) {
    parentElement.querySelector(".box")?.remove(); // one of an older version of this module
    box = createBox(parentElement);
    boxes.set(parentElement, box);
  }
  box.update(data, setTriggerValue);
  return () => box.rest();
}

/** An element with attributes and children; no text is ever read as HTML. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function icon(path, name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  for (const [key, value] of Object.entries({ viewBox: "0 0 16 16", "aria-hidden": "true", class: name })) svg.setAttribute(key, value);
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** The word with the part that was typed in bold. */
function marked(word, typed) {
  const start = word.slice(0, typed.length);
  if (start.toLowerCase() !== typed.toLowerCase()) return [document.createTextNode(word)];
  return [element("b", {}, start), document.createTextNode(word.slice(typed.length))];
}

function createBox(parent) {
  const id = `words-${++made}`;
  const input = element("input", {
    type: "text", role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id,
    autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false", enterkeyhint: "search",
  });
  const clear = element("button", { type: "button", class: "clear", "aria-label": "Clear" }, icon(ICONS.clear, ""));
  const list = element("ul", { id, role: "listbox", hidden: "" });
  const spoken = element("div", { class: "spoken", role: "status" });
  const root = element("div", { class: "box" }, icon(ICONS.search, "icon"), input, clear, list, spoken);
  parent.append(root);

  let data = { value: "", token: "" };
  let send = () => {};
  let sent = ""; // the text that page and box agree on
  let words = [];
  let active = -1;
  let timer = 0;
  let asking = null;
  let warm = ""; // the token whose index was asked for
  let stale = ""; // the token that was reported as ended

  const isPattern = (text) => data.patterns && text.startsWith("/");
  const focused = () => parent.activeElement === input;

  function show(text) {
    input.value = text;
    clear.hidden = !text;
  }

  function rest() {
    clearTimeout(timer);
    asking?.abort();
    asking = null;
  }

  function close() {
    rest();
    words = [];
    list.hidden = true;
    activate(-1);
    input.setAttribute("aria-expanded", "false");
  }

  function activate(row) {
    active = row;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === row)));
    if (row < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `${id}-${row}`);
  }

  function open(found, typed) {
    words = found;
    list.replaceChildren(...found.map((word, i) => element("li", { id: `${id}-${i}`, role: "option", "aria-selected": "false" }, ...marked(word, typed))));
    list.hidden = false;
    activate(-1);
    input.setAttribute("aria-expanded", "true");
    spoken.textContent = found.length === 1 ? "1 word" : `${found.length} words`;
  }

  async function ask(typed) {
    rest();
    const control = (asking = new AbortController());
    try {
      const address = new URL(`words/${data.token}?q=${encodeURIComponent(typed.slice(0, LONGEST))}`, document.baseURI);
      const answer = await fetch(address, { signal: control.signal });
      if (answer.status === 404) return askForToken();
      const found = answer.ok ? await answer.json() : [];
      if (asking !== control || !focused() || !typed) return; // what answers nothing touches nothing
      if (found.length) open(found, typed);
      else {
        close();
        spoken.textContent = "No word begins so";
      }
    } catch (error) {
      if (error.name !== "AbortError") close(); // without the server the box still sends what is typed
    }
  }

  function askForToken() {
    if (stale === data.token) return;
    stale = data.token;
    send("stale", stale);
  }

  function submit(text) {
    sent = text.replace(INVISIBLE, "");
    close();
    show(sent);
    spoken.textContent = "";
    send("word", sent);
    if (matchMedia("(pointer: coarse)").matches) input.blur(); // lets the keyboard go
  }

  function typed() {
    clear.hidden = !input.value;
    clearTimeout(timer);
    if (!input.value || isPattern(input.value)) close();
    else timer = setTimeout(() => ask(input.value), DELAY);
  }

  /** What each key does; returns whether the key is used up. */
  const keys = {
    ArrowDown() {
      if (list.hidden) input.value && !isPattern(input.value) && ask(input.value);
      else activate((active + 1) % words.length);
      return true;
    },
    ArrowUp() {
      if (!list.hidden) activate(active < 0 ? words.length - 1 : (active - 1 + words.length) % words.length);
      return true;
    },
    Home: () => active >= 0 && (activate(0), true),
    End: () => active >= 0 && (activate(words.length - 1), true),
    Enter: () => (submit(active >= 0 ? words[active] : input.value), true),
    Escape: () => (list.hidden ? show(sent) : close(), true),
    Tab: () => (close(), false),
  };

  input.addEventListener("input", typed);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (Object.hasOwn(keys, event.key) && keys[event.key]()) {
      event.preventDefault();
      event.stopPropagation(); // Streamlit's shortcuts are not meant
    }
  });
  input.addEventListener("focus", () => {
    input.select();
    if (warm !== data.token) ask("");
    warm = data.token;
  });
  input.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the focus stays in the box
  list.addEventListener("click", (event) => {
    const row = [...list.children].indexOf(event.target.closest("li"));
    if (row >= 0) submit(words[row]);
  });
  clear.addEventListener("click", () => {
    submit("");
    input.focus();
  });

  function update(next, trigger) {
    send = trigger;
    if (next.value !== data.value || !root.dataset.ready) {
      const unsent = focused() && input.value !== sent;
      sent = next.value;
      if (!unsent) show(sent);
    }
    const renewed = root.dataset.ready && next.token !== data.token;
    data = next;
    if (renewed && focused() && input.value !== sent) typed(); // the question that the ended token left unanswered
    input.setAttribute("aria-label", data.label);
    input.placeholder = data.placeholder;
    list.setAttribute("aria-label", data.label);
    root.dataset.ready = "true";
  }

  return { update, rest };
}
