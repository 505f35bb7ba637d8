/** Text in lines. */

/**
 * Wrap a text into lines of at most this width; a word that is wider is broken.
 * @param {{measureText: (text: string) => {width: number}}} context @param {string} text @param {number} width
 */
export function wrapped(context, text, width) {
  const fits = (part) => context.measureText(part).width <= width;
  /** @type {string[]} */
  const lines = [];
  for (const word of text.trim().split(/[ \n]+/)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && fits(longer)) lines[lines.length - 1] = longer;
    else if (fits(word)) lines.push(word);
    else for (const sign of (lines.push(""), word)) fits(lines.at(-1) + sign) ? (lines[lines.length - 1] += sign) : lines.push(sign);
  }
  return lines;
}
