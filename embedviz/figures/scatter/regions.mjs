/** Names of the regions of a map: which names fit a zoom, and how the reader changed them. */

/** @typedef {{id: string, name: string, at: number[], row: number, radius: number, size: number, also?: string[]}} Region a region inside another has the id of that region plus a part: 1 and 1.3; `also` has the ids of regions merged with it */
/** @typedef {{by: string, found: Region[]}} Regions coarse regions before fine ones; `by` is the column that names them, or empty if words name them */
/** @typedef {Record<string, string>} RegionNames names given by hand, by id; an empty name hides its region */

/** How far a region may reach on the screen for its name to be written, as shares of the picture's smaller side. */
const REACH = { least: 0.05, most: 0.22 };

/** @param {string} id */
export const levelOf = (id) => id.split(".").length;

/**
 * Return the regions to write: with the reader's names, and without hidden regions and all regions inside these.
 * Regions of one level to which the reader gave the same name become one region.
 * @param {Region[]} found @param {RegionNames} names @returns {Region[]}
 */
export function renamed(found, names) {
  /** @type {Map<string, Region>} */
  const merged = new Map();
  /** @type {Region[]} */
  const made = [];
  const hidden = Object.keys(names).filter((id) => !names[id]);
  const given = new Set(Object.entries(names).map(([id, name]) => `${levelOf(id)} ${name}`));
  for (const region of found) {
    const name = names[region.id] ?? region.name;
    if (!name || hidden.some((id) => holds(id, region.id))) continue;
    const key = `${levelOf(region.id)} ${name}`;
    const other = merged.get(key);
    if (other && given.has(key)) Object.assign(other, joined(other, region));
    else {
      const own = { ...region, name };
      merged.set(key, own);
      made.push(own);
    }
  }
  return made;
}

/** Return whether a region lies in another one, or is the same. @param {string} id @param {string} inner */
export function holds(id, inner) {
  return inner === id || inner.startsWith(`${id}.`);
}

/** Return the changed properties of two merged regions: their weighted mean position, and the row of the larger region. @param {Region} a @param {Region} b */
function joined(a, b) {
  const size = a.size + b.size;
  const at = a.at.map((value, axis) => (value * a.size + b.at[axis] * b.size) / size);
  return { at, size, radius: Math.max(a.radius, b.radius), row: a.size >= b.size ? a.row : b.row, also: [...(a.also ?? []), b.id] };
}

/**
 * Return the regions whose names fit a zoom, coarse regions first: neither a dot nor larger than the picture.
 * @param {Region[]} regions @param {number} k pixels per data unit @param {{width: number, height: number}} frame
 */
export function fitting(regions, k, { width, height }) {
  const side = Math.min(width, height);
  return regions.filter(({ radius }) => radius * k >= REACH.least * side && radius * k <= REACH.most * side);
}

/** Return the regions of the same level as a region, nearest first. @param {Region[]} regions @param {Region} region @param {number} most */
export function nearestTo(regions, region, most) {
  const far = ({ at }) => Math.hypot(...at.map((value, axis) => value - region.at[axis]));
  const others = regions.filter((one) => one.id !== region.id && levelOf(one.id) === levelOf(region.id));
  return others.toSorted((a, b) => far(a) - far(b)).slice(0, most);
}
