/** Elements of a page. No text is ever read as HTML: words are untrusted. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an HTML element with attributes and children.
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name @param {Record<string, unknown>} [attributes] @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[N]}
 */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/**
 * Make an SVG element with attributes and children.
 * @template {keyof SVGElementTagNameMap} N
 * @param {N} name @param {Record<string, unknown>} [attributes] @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[N]}
 */
export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** Make an icon: the outline of a path on a square of `side` units. @param {string} path @param {Record<string, unknown>} [attributes] @param {number} [side] */
export function icon(path, attributes = {}, side = 16) {
  return drawn("svg", { viewBox: `0 0 ${side} ${side}`, "aria-hidden": "true", ...attributes }, drawn("path", { d: path }));
}

const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2061-\u2067\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Return the text with escapes for characters that are invisible or change its direction. @param {string} text */
export function visible(text) {
  return text.replaceAll(INVISIBLE, (letter) => `\\u${letter.codePointAt(0).toString(16).padStart(4, "0")}`);
}

/** Save a file on the reader's machine. @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const link = element("a", { download: name, href: URL.createObjectURL(blob) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Return whether the reader wants no motion. */
export function still() {
  return globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;
}

/** @template {Element} T @param {T} made @param {Record<string, unknown>} attributes @param {(Node | string)[]} children */
function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}
