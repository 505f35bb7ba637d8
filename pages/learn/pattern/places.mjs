/** What a lesson's figure shows at the places of its sliders. */

/** @typedef {{of: number, name: string, others: Record<string, number>, steps: Record<string, any>}} Column */

/**
 * Return the step of a figure at these places; undefined if no column has it.
 * @param {Column[]} columns @param {number} of @param {Record<string, number>} places
 */
export function stepAt(columns, of, places) {
  const fits = (one) => one.of === of && Object.entries(one.others).every(([name, place]) => places[name] === place);
  return columns.filter(fits).map((one) => one.steps[places[one.name]]).find(Boolean);
}
