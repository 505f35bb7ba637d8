/**
 * A combobox whose completions come from the server. Words are untrusted: they enter the page as text nodes only.
 *
 * With `formula`, the box holds a formula of words and completes the word at the caret; a choice only inserts the word.
 *
 * `data`: {label, value, token, placeholder, patterns, formula}. Triggers: `word` (the submitted text), `stale` (an
 * ended token).
 */
import { element, icon } from "../../../embedviz/figures/web/elements.mjs";
import { mounting } from "../../../embedviz/figures/web/mounting.mjs";

const DELAY = 60; // ms without typing before the server is asked
const LONGEST = 200; // characters of a request
const SIGNS = /[-−–—‒－+＋*×/()\s]/; // characters that end a word of a formula
const GLUE = /[-/]/; // these signs do not end a word if a letter follows directly
const NUMBER = /^([0-9]+(\.[0-9]*)?|\.[0-9]+)$/;
const QUOTES = { '"': '"', "'": "'", "“": "”“", "”": "”", "„": "“”", "‘": "’", "«": "»" };
const INVISIBLE = /[\u2060\u2066-\u2069]/g; // characters that the page's labels contain, and so words copied from it
const ICONS = {
  search: "M10.5 10.5 15 15M6.75 11.5a4.75 4.75 0 1 0 0-9.5 4.75 4.75 0 0 0 0 9.5Z",
  clear: "M3.5 3.5l9 9m0-9l-9 9",
};
let made = 0;

const boxIn = mounting(".box", (parent) => createBox(parent));

/** @param {{data: any, parentElement: any, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function wordbox({ data, parentElement, setTriggerValue }) {
  const box = boxIn(parentElement, data);
  box.update(data, setTriggerValue);
  return () => box.rest();
}

/** Return the word of a formula at the caret: its start and end with quotation marks, and the part that was typed. */
function operandAt(text, caret) {
  const ends = (at) => at >= text.length || SIGNS.test(text[at]);
  for (let start = 0; start < Math.min(text.length, caret); start++) {
    if (ends(start)) continue;
    const closers = QUOTES[text[start]];
    let end = start + 1;
    if (closers) {
      while (end < text.length && !closers.includes(text[end])) end++;
      end = Math.min(end + 1, text.length);
    } else while (!ends(end) || (GLUE.test(text[end] ?? "") && !ends(end + 1))) end++;
    if (caret <= end) return { start, end, typed: text.slice(start + (closers ? 1 : 0), caret) };
    start = end - 1;
  }
  return { start: caret, end: caret, typed: "" };
}

/** Return the part after the last hyphen, which may be a minus: if no word begins with `king-wo`, complete `wo`. */
function lastPart({ start, end, typed }) {
  const part = typed.split(GLUE).at(-1);
  return part && part !== typed ? { start: start + typed.length - part.length, end, typed: part } : null;
}

/** Return the word as a formula needs it: in quotation marks if it could be misread. */
function quoted(word) {
  const safe = !SIGNS.test(word) && !(word[0] in QUOTES) && !NUMBER.test(word);
  return safe ? word : `"${word.replaceAll('"', '""')}"`;
}

/** Return the nodes of a word, with the typed part in bold. */
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
  const clear = element("button", { type: "button", class: "clear", "aria-label": "Clear" }, icon(ICONS.clear));
  const list = element("ul", { id, role: "listbox", hidden: "" });
  const spoken = element("div", { class: "spoken", role: "status" });
  const root = element("div", { class: "box" }, icon(ICONS.search, { class: "icon" }), input, clear, list, spoken);
  parent.append(root);

  let data = { value: "", token: "" };
  /** @type {(name: string, value: unknown) => void} */
  let send = () => {};
  let sent = ""; // the text that page and box agree on
  let words = [];
  let active = -1;
  let timer = 0;
  let asking = null;
  let warm = ""; // the token whose index was requested
  let stale = ""; // the token that was reported as ended
  let operand = null; // the word of a formula that the list completes

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

  /** Ask for completions of the word at the caret, then of its last part if there are none. */
  async function askAtCaret() {
    operand = operandAt(input.value, input.selectionStart ?? input.value.length);
    if (!operand.typed || NUMBER.test(operand.typed)) return close();
    await ask(operand.typed);
    const part = list.hidden && lastPart(operand);
    if (part) await ask((operand = part).typed);
  }

  async function ask(typed) {
    rest();
    const control = (asking = new AbortController());
    try {
      const address = new URL(`words/${data.token}?q=${encodeURIComponent(typed.slice(0, LONGEST))}`, document.baseURI);
      const answer = await fetch(address, { signal: control.signal });
      if (answer.status === 404) return askForToken();
      const found = answer.ok ? await answer.json() : [];
      if (asking !== control || !focused() || !typed) return; // an outdated answer changes nothing
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

  /** Take a completion: submit the word, or insert it into the formula. */
  function take(word) {
    if (!data.formula) return submit(word);
    const { start, end } = operand;
    const whole = quoted(word);
    close();
    show(input.value.slice(0, start) + whole + input.value.slice(end));
    input.setSelectionRange(start + whole.length, start + whole.length);
  }

  function submit(text) {
    sent = text.replace(INVISIBLE, "");
    close();
    show(sent);
    spoken.textContent = "";
    send("word", sent);
    if (matchMedia("(pointer: coarse)").matches) input.blur(); // hides the on-screen keyboard
  }

  const complete = () => (data.formula ? askAtCaret() : ask(input.value));

  function typed() {
    clear.hidden = !input.value;
    clearTimeout(timer);
    if (!input.value || isPattern(input.value)) close();
    else timer = setTimeout(complete, DELAY);
  }

  /** For each key, act and return whether the key was used. */
  const keys = {
    ArrowDown() {
      if (list.hidden) input.value && !isPattern(input.value) && complete();
      else activate((active + 1) % words.length);
      return true;
    },
    ArrowUp() {
      if (!list.hidden) activate(active < 0 ? words.length - 1 : (active - 1 + words.length) % words.length);
      return true;
    },
    Home: () => active >= 0 && (activate(0), true),
    End: () => active >= 0 && (activate(words.length - 1), true),
    Enter: () => (active >= 0 ? take(words[active]) : submit(input.value), true),
    Escape: () => (list.hidden ? show(sent) : close(), true),
    Tab: () => (close(), false),
  };

  input.addEventListener("input", typed);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (Object.hasOwn(keys, event.key) && keys[event.key]()) {
      event.preventDefault();
      event.stopPropagation(); // keep it from Streamlit's shortcuts
    }
  });
  input.addEventListener("focus", () => {
    if (!data.formula) input.select();
    if (warm !== data.token) ask("");
    warm = data.token;
  });
  input.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the focus stays in the box
  list.addEventListener("click", (event) => {
    const row = [...list.children].indexOf(/** @type {Element} */ (event.target).closest("li"));
    if (row >= 0) take(words[row]);
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
    if (renewed && focused() && input.value !== sent) typed(); // repeat the request that failed with the old token
    input.setAttribute("aria-label", data.label);
    input.placeholder = data.placeholder;
    list.setAttribute("aria-label", data.label);
    root.dataset.ready = "true";
  }

  return { update, rest };
}
