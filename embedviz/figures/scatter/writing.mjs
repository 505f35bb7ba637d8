/** Text on a canvas. */

/** @param {string} font @param {number} size @param {number} weight */
export function fontOf(font, size, weight) {
  return `${weight} ${size}px ${font}`;
}

/** Write text with a halo of 4 pixels in the page's color. @param {CanvasRenderingContext2D} context @param {string} text @param {number} x @param {number} y @param {string} font @param {string} color @param {string} halo */
export function write(context, text, x, y, font, color, halo) {
  context.font = font;
  context.lineWidth = 4;
  context.strokeStyle = halo;
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}

/** Return the text, or its first letters with an ellipsis if it is wider than `room`. @param {CanvasRenderingContext2D} context @param {string} text @param {number} room */
export function fitted(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && context.measureText(`${letters.join("")}…`).width > room) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}
