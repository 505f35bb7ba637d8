/**
 * One button of the export row. `data.action` is "picture" or "link". The `data.format` of a picture is "png", "print"
 * (a PNG of 300 dots per inch) or "svg", and for a map with depth also "stereo".
 *
 * A picture of a Plotly figure has its SVG layers between the lines of `note`; a PNG has twice the size. A component
 * answers the window event `embedviz:drawing` (its detail has `chart`) with an SVG as the `drawing` of the detail.
 */
import { download, drawn, element, visible } from "../../../embedviz/figures/web/elements.mjs";
import { wrapped } from "../../../embedviz/figures/web/lines.mjs";
import { drawingOf, mounting } from "../../../embedviz/figures/web/mounting.mjs";
import { withDensity } from "../../../embedviz/figures/web/png.mjs";
import { linkFor } from "./links.mjs";

const PAGE = 96; // dots per inch of a page
const SCALES = { png: 2, print: 300 / PAGE };
const MARGIN = 24;
const SAYS_FOR = 2000; // ms
const READ_FOR = 8000; // ms for a sentence
const WAIT = 20_000; // ms to wait for a figure that is not drawn yet
const ICONS = { png: "image", print: "print", stereo: "3d_rotation", svg: "polyline", link: "link" };
const LABELS = { png: "Image", print: "300 dpi", stereo: "Stereo pair", svg: "SVG", link: "Copy link" };

const buttonIn = mounting(".export", (parent, data) => createButton(parent, data));

/** @param {{data: any, parentElement: any}} component */
export default function exporting({ data, parentElement }) {
  buttonIn(parentElement, data).data = data;
}

function createButton(parent, { action, format }) {
  const kind = format ?? action;
  const root = element("div", { class: "export" });
  const label = element("span", {}, LABELS[kind]);
  const spoken = element("span", { class: "spoken", role: "status", "aria-live": "polite" });
  const sign = element("span", { class: "icon", "aria-hidden": "true", translate: "no" }, ICONS[kind]);
  const button = element("button", { type: "button", "data-action": action }, sign, label);
  root.append(button, spoken);
  parent.append(root);
  const made = { data: {} };
  let timer = 0;
  const say = (short, long = short, time = SAYS_FOR) => {
    label.textContent = short;
    root.toggleAttribute("data-long", time > SAYS_FOR);
    spoken.textContent = long;
    clearTimeout(timer);
    timer = setTimeout(() => (root.removeAttribute("data-long"), (label.textContent = LABELS[kind]), (spoken.textContent = "")), time);
  };
  const act = action === "link" ? () => copyLink(say, root, made.data) : () => savePicture(made.data, parent.host, say);
  button.addEventListener("click", async () => {
    button.disabled = true;
    root.dataset.state = "busy";
    try {
      await act();
      root.dataset.state = "done";
    } catch (error) {
      root.dataset.state = "failed";
      say("No image", error.message);
      console.error(error);
    } finally {
      button.disabled = false;
    }
  });
  return made;
}

// ---- link

/** Copy the address; say so if the link will not last or opens on this computer only. */
async function copyLink(say, root, data) {
  const { link, said } = linkFor(location.href, data);
  const { warning } = data;
  const copied = (await copyByClipboard(link)) || copyByCommand(link, root);
  if (!copied) say("Not copied", `The browser allows no copying.${data.query === undefined ? " The link is in the address bar." : ""}`);
  else if (warning) say(warning, warning, READ_FOR);
  else if (said) say(said, said, READ_FOR);
  else say("Copied", "The link is copied");
}

/** Return whether the text was copied; over plain http there is no `navigator.clipboard`. */
async function copyByClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function copyByCommand(text, root) {
  const field = element("textarea", { class: "spoken", readonly: "", tabindex: "-1", "aria-hidden": "true" });
  field.value = text;
  root.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  root.querySelector("button").focus();
  return copied;
}

// ---- picture

async function savePicture(data, host, say) {
  if (data.kind === "map") {
    const detail = { chart: data.target, filename: data.filename, note: data.note, format: data.format };
    window.dispatchEvent(new CustomEvent("embedviz:picture", { detail }));
    return;
  }
  const plot = data.kind === "drawing" ? laidOut(data.target) : await drawnPlot(`.st-key-${CSS.escape(data.target)} .js-plotly-plot`);
  const [file, kind] = data.format === "svg" ? [vectorOf, "svg"] : [pictureOf, "png"];
  try {
    download(await file(plot, data.note, getComputedStyle(host), SCALES[data.format]), `${data.filename}.${kind}`);
  } finally {
    if (data.kind === "drawing") plot.remove();
  }
  say("Saved", "The image is saved");
}

/** Draw a component as an SVG without a style sheet, laid out off screen. */
function laidOut(chart) {
  const drawing = drawingOf(chart);
  if (!drawing) throw new Error("There is no figure to save yet.");
  const place = element("div", { style: "position: absolute; left: -99999px; top: 0; line-height: 0", "aria-hidden": "true" }, drawing);
  document.body.append(place);
  return place;
}

/** Return the plot once it is drawn: Plotly itself loads after the page, and a click may come earlier. */
async function drawnPlot(selector) {
  for (const start = performance.now(); performance.now() - start < WAIT; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const plot = document.querySelector(selector);
    if (plot?.querySelector(".main-svg")) return plot;
  }
  throw new Error("There is no figure to save yet.");
}

/** Return the layout of the picture: title and space, the figure at `top`, then the lines of the note. */
async function layoutOf(plot, note, style) {
  const { width, height } = plot.getBoundingClientRect();
  const lines = await linesOf(note, width, style);
  const [above, below] = [true, false].map((above) => lines.filter((line) => line.above === above));
  const top = MARGIN + lengthOf(above) + (above.length ? 8 : 0);
  const end = placed(below, top + height + 8);
  placed(above, MARGIN);
  const background = style.getPropertyValue("--st-background-color").trim() || "#fff";
  return { width, height, top, lines, background, wide: width + 2 * MARGIN, high: end + MARGIN };
}

/** Set the baseline of each line; return where the next line would begin. */
function placed(lines, top) {
  return lines.reduce((y, line) => ((line.base = y + line.height * 0.72), y + line.height), top);
}

/** Return a PNG that is `scale` times as large as the figure on the page. */
async function pictureOf(plot, note, style, scale) {
  const { width, height, top, lines, background, wide, high } = await layoutOf(plot, note, style);
  const image = await imageOf(plot, width, height);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.ceil(wide * scale), Math.ceil(high * scale)];
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.fillStyle = background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, MARGIN, top, width, height);
  for (const { font, color, text, base } of lines) {
    context.font = font;
    context.fillStyle = color;
    context.fillText(text, MARGIN, base);
  }
  const png = await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The figure is too large for an image."))), "image/png"));
  return new Blob([withDensity(new Uint8Array(await png.arrayBuffer()), scale * PAGE)], { type: "image/png" });
}

const lengthOf = (lines) => lines.reduce((sum, line) => sum + line.height, 0);

/** Return an SVG with its texts as text; it names the fonts of the page but does not contain them. */
async function vectorOf(plot, note, style) {
  const { width, height, top, lines, background, wide, high } = await layoutOf(plot, note, style);
  const root = drawn("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}` });
  const figure = joined(plot, width, height);
  figure.setAttribute("x", String(MARGIN));
  figure.setAttribute("y", String(top));
  const texts = lines.map(({ font, color, text, base }) => drawn("text", { x: MARGIN, y: base, fill: color, style: `font: ${font}` }, text));
  root.append(drawn("rect", { width: wide, height: high, fill: background }), figure, ...texts);
  return new Blob([serialized(root)], { type: "image/svg+xml" });
}

/** Return the note as lines that fit the width: [{text, font, height, color, above}]. */
async function linesOf(note, width, style) {
  const value = (name) => style.getPropertyValue(`--st-${name}`).trim();
  const sans = value("font") || "sans-serif";
  const title = { font: `600 20px ${value("heading-font") || sans}`, height: 28, color: value("text-color") };
  const meaning = { font: `400 16px ${sans}`, height: 23, color: value("text-color") };
  const small = { font: `400 14px ${sans}`, height: 20, color: value("gray-color") || value("text-color") };
  await Promise.all([title, meaning, small].map(({ font }) => document.fonts.load(font)));
  const context = document.createElement("canvas").getContext("2d");
  const { title: head, space, meaning: means, ...rest } = note;
  const given = Object.entries({ title: head, space, meaning: means, ...rest }).filter(([, text]) => text);
  return given.flatMap(([name, text]) => {
    const look = { title, meaning }[name] ?? small;
    context.font = look.font;
    return wrapped(context, text, width).map((line) => ({ ...look, text: line, above: name === "title" || name === "space" }));
  });
}

/**
 * Return the figure as one SVG. Its layers have the order in which they are painted, since a layer may use a gradient
 * or a clip of another layer. What WebGL drew is included as a picture.
 */
function joined(plot, width, height) {
  const layers = [...plot.querySelectorAll("svg.main-svg, canvas")];
  const root = drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  root.append(...layers.map((layer) => (layer instanceof HTMLCanvasElement ? pictureIn(layer, width, height) : layer.cloneNode(true))));
  return root;
}

/** Return the text of an SVG, with references to its own ids instead of the page's address. */
function serialized(root) {
  return visible(new XMLSerializer().serializeToString(root)).replaceAll(/url\((&quot;|['"])?https?:[^)#]*#/g, "url($1#");
}

/** Return the figure as an image with its fonts inside, since an image cannot use the fonts of the page. */
async function imageOf(plot, width, height) {
  const texts = [...plot.querySelectorAll("svg.main-svg text")];
  const rules = await fontRules([...new Set(texts.map((text) => getComputedStyle(text).fontFamily))].join(","));
  const root = joined(plot, width, height);
  root.prepend(drawn("style", {}, rules));
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([serialized(root)], { type: "image/svg+xml" }));
  try {
    await image.decode();
  } finally {
    URL.revokeObjectURL(image.src);
  }
  return image;
}

const pictureIn = (canvas, width, height) => drawn("image", { href: canvas.toDataURL(), width, height, preserveAspectRatio: "none" });

/** Return `@font-face` rules with the fonts inside, for the page's own fonts that `families` names. */
async function fontRules(families) {
  const rules = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules].filter((rule) => rule instanceof CSSFontFaceRule).map((rule) => ({ rule, base: sheet.href || document.baseURI }));
    } catch {
      return []; // a style sheet of another origin
    }
  });
  const wanted = rules.filter(({ rule }) => {
    const family = rule.style.getPropertyValue("font-family").replaceAll(/["']/g, "").trim();
    return families.includes(family) && !/italic|oblique/.test(rule.style.getPropertyValue("font-style"));
  });
  return (await Promise.all(wanted.map(withFont))).join("\n");
}

async function withFont({ rule, base }) {
  const source = /url\(["']?([^"')]+)["']?\)/.exec(rule.style.getPropertyValue("src"))?.[1];
  const address = source && new URL(source, base);
  if (!address || address.origin !== location.origin) return "";
  const bytes = await (await fetch(address)).blob();
  const text = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.readAsDataURL(bytes);
  });
  const name = rule.style.getPropertyValue("font-family");
  const weight = rule.style.getPropertyValue("font-weight") || "400";
  return `@font-face{font-family:${name};font-weight:${weight};src:url(${text})}`;
}
