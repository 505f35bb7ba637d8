/**
 * The finished lessons and the right answers, in the storage of this browser. A newly opened lesson scrolls to its top.
 * State: `done` is {names, answers, cleared}.
 */

const NAMES = "embedviz:learn";
const ANSWERS = "embedviz:learn:answers";
const MOST = 100;
const LONGEST = 200;
let cleared = 0; // number of times that the list was emptied
let opened = 0; // number of lessons that were opened
/** @type {Record<string, unknown>} */
const here = {}; // the values while the page is open, for browsers that store nothing

/** @param {{data: {done: string[], answers: Record<string, string>, cleared: number, opened: number}, setStateValue: (name: string, value: unknown) => void}} component */
export default function progress({ data, setStateValue }) {
  const emptied = data.cleared > cleared;
  cleared = data.cleared;
  if (data.opened !== opened) document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0, behavior: "instant" });
  opened = data.opened;
  const names = [...new Set([...(emptied ? [] : lessons(stored(NAMES))), ...data.done])].slice(0, MOST);
  const given = { ...(emptied ? {} : answers(stored(ANSWERS))), ...data.answers };
  const latest = Object.fromEntries(Object.entries(given).slice(-MOST));
  store(NAMES, names);
  store(ANSWERS, latest);
  const news = names.some((name) => !data.done.includes(name)) || Object.keys(latest).some((key) => !(key in data.answers));
  if (emptied || news) setStateValue("done", { names, answers: latest, cleared });
}

/** @param {unknown} listed */
function lessons(listed) {
  const known = Array.isArray(listed) ? listed : [];
  return known.filter((name) => typeof name === "string" && /^[\w-]{1,40}$/.test(name));
}

/** @param {unknown} given */
function answers(given) {
  const known = given && typeof given === "object" && !Array.isArray(given) ? Object.entries(given) : [];
  const usable = known.filter(([key, text]) => /^[\w-]{1,60}$/.test(key) && typeof text === "string" && text.length <= LONGEST);
  return Object.fromEntries(usable);
}

/** @param {string} key */
function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? here[key];
  } catch {
    return here[key];
  }
}

/** @param {string} key @param {unknown} value */
function store(key, value) {
  here[key] = value;
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {} // no storage: it lasts as long as the page
}
