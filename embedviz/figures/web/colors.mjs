/** Colors as three numbers from 0 to 255. */

/** @param {string} hex of three or six digits @returns {[number, number, number]} */
export function rgb(hex) {
  const digits = hex.trim().replace("#", "");
  const full = digits.length < 6 ? [...digits].map((digit) => digit + digit).join("") : digits;
  return /** @type {[number, number, number]} */ ([0, 2, 4].map((start) => parseInt(full.slice(start, start + 2), 16)));
}

/** Return the relative luminance of a color, 0 to 1 (WCAG). @param {[number, number, number]} color */
export function luminance(color) {
  const [r, g, b] = color.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Return a color of a scale, interpolated between its steps. @param {string[]} scale @param {number} position 0 to 1 @returns {[number, number, number]} */
export function along(scale, position) {
  const place = Math.min(Math.max(position, 0), 1) * (scale.length - 1);
  const step = Math.min(Math.floor(place), scale.length - 2);
  const [from, to] = [rgb(scale[step]), rgb(scale[step + 1])];
  return /** @type {[number, number, number]} */ (from.map((v, i) => Math.round(v + (to[i] - v) * (place - step))));
}

/** @param {[number, number, number]} color */
export function hex(color) {
  return `#${color.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
