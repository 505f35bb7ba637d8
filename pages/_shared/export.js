/**
 * One button of the export row. `data.action` is "picture" or "link".
 *
 * A picture of a Plotly figure is its own SVG layers, drawn on a canvas at twice the size between the lines of `note`.
 */
const SCALE = 2;
const MARGIN = 24;
const SAYS_FOR = 2000; // ms
const WAIT = 20_000; // ms for a figure that is still on its way
const ICONS = { picture: "image", link: "link" };
const LABELS = { picture: "Image", link: "Copy link" };
const buttons = new WeakMap(); // shadow root -> {button, say, data}

export default function ({ data, parentElement }) {
  let made = buttons.get(parentElement);
  if (!made) {
    parentElement.querySelector(".export")?.remove(); // one of an older version of this module
    made = createButton(parentElement, data.action);
    buttons.set(parentElement, made);
  }
  made.data = data;
}

function element(name, attributes, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function createButton(parent, action) {
  const root = element("div", { class: "export" });
  const button = element("button", { type: "button", "data-action": action });
  const label = element("span", {}, LABELS[action]);
  const spoken = element("span", { class: "spoken", role: "status", "aria-live": "polite" });
  button.append(element("span", { class: "icon", "aria-hidden": "true", translate: "no" }, ICONS[action]), label);
  root.append(button, spoken);
  parent.append(root);
  const made = { data: {} };
  let timer = 0;
  const say = (short, long = short) => {
    label.textContent = short;
    spoken.textContent = long;
    clearTimeout(timer);
    timer = setTimeout(() => ((label.textContent = LABELS[action]), (spoken.textContent = "")), SAYS_FOR);
  };
  const act = action === "link" ? () => copyLink(say, root) : () => savePicture(made.data, parent.host, say);
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

async function copyLink(say, root) {
  const copied = (await copyByClipboard(location.href)) || copyByCommand(location.href, root);
  copied ? say("Copied", "The link is copied") : say("Not copied", "The browser allows no copying. The link is in the address bar.");
}

/** Whether it worked; over plain http there is no `navigator.clipboard`. */
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
    const detail = { chart: data.target, filename: data.filename, note: data.note };
    window.dispatchEvent(new CustomEvent("embedviz:picture", { detail }));
    return;
  }
  const plot = await drawnPlot(`.st-key-${CSS.escape(data.target)} .js-plotly-plot`);
  const blob = await pictureOf(plot, data.note, getComputedStyle(host));
  download(blob, `${data.filename}.png`);
  say("Saved", "The image is saved");
}

/** The plot once it is drawn: Plotly itself arrives after the page, and a click may be earlier. */
async function drawnPlot(selector) {
  for (const start = performance.now(); performance.now() - start < WAIT; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const plot = document.querySelector(selector);
    if (plot?.querySelector(".main-svg")) return plot;
  }
  throw new Error("There is no figure to save yet.");
}

function download(blob, name) {
  const link = element("a", { download: name, href: URL.createObjectURL(blob) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A PNG: title and space, the figure, then the other lines of the note. */
async function pictureOf(plot, note, style) {
  const { width, height } = plot.getBoundingClientRect();
  const image = await imageOf(plot, width, height);
  const lines = await linesOf(note, width, style);
  const above = lines.filter((line) => line.above);
  const top = MARGIN + lengthOf(above) + (above.length ? 8 : 0);
  const below = top + height + 8;
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil((width + 2 * MARGIN) * SCALE);
  canvas.height = Math.ceil((below + lengthOf(lines.filter((line) => !line.above)) + MARGIN) * SCALE);
  const context = canvas.getContext("2d");
  context.scale(SCALE, SCALE);
  context.fillStyle = style.getPropertyValue("--st-background-color").trim() || "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, MARGIN, top, width, height);
  write(context, above, MARGIN);
  write(context, lines.filter((line) => !line.above), below);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The figure is too large for an image."))), "image/png"));
}

const lengthOf = (lines) => lines.reduce((sum, line) => sum + line.height, 0);

function write(context, lines, top) {
  let y = top;
  context.textBaseline = "alphabetic";
  for (const line of lines) {
    context.font = line.font;
    context.fillStyle = line.color;
    y += line.height;
    context.fillText(line.text, MARGIN, y - line.height * 0.28);
  }
}

/** The note as lines that fit the width: [{text, font, height, color, above}]. */
async function linesOf(note, width, style) {
  const value = (name) => style.getPropertyValue(`--st-${name}`).trim();
  const sans = value("font") || "sans-serif";
  const title = { font: `600 20px ${value("heading-font") || sans}`, height: 28, color: value("text-color") };
  const small = { font: `400 14px ${sans}`, height: 20, color: value("gray-color") || value("text-color") };
  await Promise.all([document.fonts.load(title.font), document.fonts.load(small.font)]);
  const context = document.createElement("canvas").getContext("2d");
  return Object.entries(note).filter(([, text]) => text).flatMap(([name, text]) => {
    const look = name === "title" ? title : small;
    context.font = look.font;
    return wrapped(context, text, width).map((line) => ({ ...look, text: line, above: name === "title" || name === "space" }));
  });
}

function wrapped(context, text, width) {
  const lines = [];
  for (const word of text.split(/\s+/)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/**
 * The figure as one image: its layers in the order in which they are painted, joined in one SVG, since a layer may use
 * a gradient or a clip that another defines. What WebGL drew comes in as a picture.
 */
async function imageOf(plot, width, height) {
  const layers = [...plot.querySelectorAll("svg.main-svg, canvas")];
  const texts = [...plot.querySelectorAll("svg.main-svg text")];
  const style = drawn("style", {});
  style.textContent = await fontRules([...new Set(texts.map((text) => getComputedStyle(text).fontFamily))].join(","));
  const root = drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  root.append(style, ...layers.map((layer) => (layer instanceof HTMLCanvasElement ? pictureIn(layer, width, height) : layer.cloneNode(true))));
  const image = new Image();
  const text = new XMLSerializer().serializeToString(root).replaceAll(/url\((&quot;|['"])?https?:[^)#]*#/g, "url($1#"); // ids are its own now
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    await image.decode();
  } finally {
    URL.revokeObjectURL(image.src);
  }
  return image;
}

const pictureIn = (canvas, width, height) => drawn("image", { href: canvas.toDataURL(), width, height, preserveAspectRatio: "none" });

function drawn(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** `@font-face` rules with the fonts inside, for those of the page's own fonts that the families name. */
async function fontRules(families) {
  const rules = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules].filter((rule) => rule instanceof CSSFontFaceRule).map((rule) => ({ rule, base: sheet.href || document.baseURI }));
    } catch {
      return []; // a sheet of another origin
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
