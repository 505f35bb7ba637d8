/** The lessons that are done, in this browser's own storage; a lesson opens at its top. State: `done`, {names, cleared}. */

const KEY = "embedviz:learn";
const MOST = 100;
let cleared = 0; // of the last list that was emptied
let opened = 0; // lessons that were opened here
/** @type {string[]} */
let here = []; // as long as the page is open, where the browser keeps nothing

/** @param {{data: {done: string[], cleared: number, opened: number}, setStateValue: (name: string, value: unknown) => void}} component */
export default function progress({ data, setStateValue }) {
  const emptied = data.cleared > cleared;
  cleared = data.cleared;
  if (data.opened !== opened) document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0, behavior: "instant" });
  opened = data.opened;
  const names = [...new Set([...(emptied ? [] : stored()), ...data.done])].slice(0, MOST);
  store(names);
  if (emptied || names.some((name) => !data.done.includes(name))) setStateValue("done", { names, cleared });
}

/** @returns {string[]} */
function stored() {
  try {
    const listed = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    const known = Array.isArray(listed) ? listed.filter((name) => typeof name === "string" && /^[\w-]{1,40}$/.test(name)) : [];
    return [...new Set([...known, ...here])];
  } catch {
    return here;
  }
}

/** @param {string[]} names */
function store(names) {
  here = names;
  try {
    localStorage.setItem(KEY, JSON.stringify(names));
  } catch {} // no storage: the list lasts as long as the page
}
