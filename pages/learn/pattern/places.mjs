/** The places of a lesson's sliders, and what stands there. */

/** @typedef {{of: number, name: string, others: Record<string, number>, steps: Record<string, any>}} Column */

/**
 * What stands at these places in a figure; nothing where no column has them.
 * @param {Column[]} columns @param {number} of @param {Record<string, number>} places
 */
export function stepAt(columns, of, places) {
  const fits = (one) => one.of === of && Object.entries(one.others).every(([name, place]) => places[name] === place);
  return columns.filter(fits).map((one) => one.steps[places[one.name]]).find(Boolean);
}
