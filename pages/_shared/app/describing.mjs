/** Gives each chart of the page an accessible label: the title above it, and the page's sentence on its meaning. */

const HEADINGS = ".ev-panel :is(h2, h3), .ev-card h2, h1";
const SMALLEST = 60; // px: anything smaller is an icon
const PAUSES = [100, 800, 3000, 9000]; // ms: Plotly and the maps draw later than the page
const LONGEST = 700;

/** @type {ReturnType<typeof setTimeout>[]} */
let waiting = [];
/** @type {MutationObserver | undefined} */
let observer;

/** Called at each run of the page. */
export default function describing() {
  observer?.disconnect();
  observer = new MutationObserver(() => later(PAUSES.slice(0, 2)));
  observer.observe(document.querySelector('[data-testid="stMain"]') ?? document.body, { childList: true, subtree: true });
  later(PAUSES);
  return () => observer?.disconnect();
}

function later(pauses) {
  for (const each of waiting.splice(0, pauses.length)) clearTimeout(each);
  waiting.push(...pauses.map((pause) => setTimeout(describeAll, pause)));
}

function describeAll() {
  for (const { chart, place } of chartsOf(document)) {
    const text = labelOf(place);
    if (!text || (chart.hasAttribute("aria-label") && chart.dataset.described === undefined)) continue;
    chart.dataset.described = "";
    const role = chart.querySelector("[tabindex], [role=button], a") ? "group" : "img"; // an image has no parts
    if (chart.getAttribute("aria-label") !== text) chart.setAttribute("aria-label", text);
    if (chart.getAttribute("role") !== role) chart.setAttribute("role", role);
  }
}

/**
 * Return the charts of a page, each with the page's element that holds it: Plotly figures, and what components draw.
 * @param {Document} page
 * @returns {{chart: HTMLElement, place: Element}[]}
 */
function chartsOf(page) {
  const plots = [...page.querySelectorAll('[data-testid="stMain"] .js-plotly-plot')].map((chart) => ({ chart, place: chart }));
  const hosts = [...page.querySelectorAll('[data-testid="stMain"] [class*="stBidiComponent"] *, [data-testid="stMain"] [data-testid^="stBidiComponent"]')];
  const drawn = hosts.flatMap((place) => [...(place.shadowRoot?.querySelectorAll("canvas, svg") ?? [])].map((chart) => ({ chart, place })));
  return /** @type {any} */ ([...plots, ...drawn.filter(({ chart }) => isChart(chart))]);
}

function isChart(element) {
  if (element.closest('[aria-hidden="true"], [aria-label], [aria-labelledby]:not(svg)') && element.dataset.described === undefined) return false;
  const { width, height } = element.getBoundingClientRect();
  return width >= SMALLEST && height >= SMALLEST;
}

/** Return the label of a chart: its heading and its meaning. */
function labelOf(place) {
  const heading = [...document.querySelectorAll(HEADINGS)].filter((one) => isBefore(one, place)).at(-1);
  const title = heading?.textContent.trim() ?? "";
  const sentence = meaningOver(place, heading) || meaningOf(place) || heading?.parentElement?.querySelector(".ev-muted")?.textContent.trim() || "";
  return [title && !/[.?!]$/.test(title) ? `${title}.` : title, sentence].filter(Boolean).join(" ").slice(0, LONGEST);
}

/** Return the last sentence of meaning between the heading of a chart and the chart. */
function meaningOver(place, heading) {
  const above = [...document.querySelectorAll(".ev-meaning")].filter((one) => isBefore(one, place) && (!heading || isBefore(heading, one)));
  return above.at(-1)?.textContent.trim() ?? "";
}

/** Return the next sentence of meaning, unless another heading comes first, outside the row of the chart. */
function meaningOf(place) {
  const row = place.closest('[data-testid="stHorizontalBlock"]');
  for (const each of document.querySelectorAll(`.ev-meaning, ${HEADINGS}`)) {
    if (!isBefore(place, each)) continue;
    if (each.matches(".ev-meaning")) return each.textContent.trim();
    if (!row?.contains(each)) return "";
  }
  return "";
}

const isBefore = (one, other) => Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
