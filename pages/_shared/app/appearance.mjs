/** Tells Python the theme and the width class of the browser, and applies the menu's choice of theme to all pages. */

const PHONE = matchMedia("(max-width: 640px)");
let latest = new WeakMap(); // shadow root -> the function that checks again
let known = new WeakMap(); // shadow root -> the theme at the last check

/** Return whether a background color is dark, by its luminance. */
function isDark(color) {
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128;
}

// Streamlit stores the menu's choice only for the path that was loaded; a visitor means it for the whole program.
const PATH = location.pathname;
const keyOf = (path) => `stActiveTheme-${path}-v2`;
function shareChoice(changed) {
  try {
    const choice = localStorage.getItem(keyOf(PATH));
    if (choice === null && !changed) return;
    for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('[data-testid="stSidebarNavLink"]'))) {
      const key = keyOf(new URL(link.href).pathname);
      if (choice === null) localStorage.removeItem(key);
      else localStorage.setItem(key, choice);
    }
  } catch {} // without storage, the choice lasts as long as the page
}

// A page that is opened from the menu starts with a bare address, and its restored view is written a moment later. Both
// are one step for the visitor. So the second replaces the first in the history, and one press of Back leaves the page.
const ONCE = Symbol.for("embedviz arrivals");
function joinArrivals() {
  const scope = /** @type {Record<symbol, boolean>} */ (/** @type {unknown} */ (window));
  if (scope[ONCE]) return;
  scope[ONCE] = true;
  const push = history.pushState.bind(history);
  let arrived = false; // whether a page was opened by a bare address, and nothing was pressed since
  for (const press of ["pointerdown", "keydown", "popstate"]) addEventListener(press, () => (arrived = false), true);
  history.pushState = (state, title, url) => {
    const next = new URL(url ?? "", location.href);
    const same = next.pathname === location.pathname;
    if (same && arrived && !location.search) history.replaceState(state, title, url);
    else push(state, title, url);
    arrived = !same && !next.search;
  };
}
joinArrivals();

/** Runs again when `data` or the theme changes. @param {{data: any, parentElement: any, setStateValue: (name: string, value: unknown) => void}} component */
export default function appearance({ data, parentElement, setStateValue }) {
  let told = data.seen;
  const look = () => {
    const style = getComputedStyle(parentElement.host);
    const theme = isDark(style.getPropertyValue("--st-background-color").trim()) ? "dark" : "light";
    const seen = `${theme} ${PHONE.matches ? "phone" : "wide"}`;
    if (seen !== told) setStateValue("seen", (told = seen));
    setTimeout(shareChoice, 300, known.has(parentElement) && known.get(parentElement) !== theme);
    known.set(parentElement, theme);
  };
  PHONE.removeEventListener("change", latest.get(parentElement));
  latest.set(parentElement, look);
  PHONE.addEventListener("change", look);
  look();
  return () => PHONE.removeEventListener("change", latest.get(parentElement));
}
