/** Names of the regions of a map: which are written at a zoom, and what a reader made of them. */

/** @typedef {{id: string, name: string, at: number[], row: number, radius: number, size: number, also?: string[]}} Region a region that lies in another one has its id and a part more: 1 and 1.3; `also` are those that are one with it */
/** @typedef {{by: string, found: Region[]}} Regions the coarse before the fine; named by a column, or by words where it is empty */
/** @typedef {Record<string, string>} RegionNames names given by hand, by id; an empty one hides */

/** How far a region may reach on the screen for its name to be written, as shares of the picture's smaller side. */
const REACH = { least: 0.05, most: 0.22 };

/** @param {string} id */
export const levelOf = (id) => id.split(".").length;

/**
 * The regions as they are written: with the names given by hand, without the hidden ones and all that lie in them; those
 * of one level that a reader gave an equal name are one.
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

/** Whether a region lies in another one, or is it. @param {string} id @param {string} inner */
export function holds(id, inner) {
  return inner === id || inner.startsWith(`${id}.`);
}

/** Two regions as one, whose name is written where the name of the larger one was. @param {Region} a @param {Region} b */
function joined(a, b) {
  const size = a.size + b.size;
  const at = a.at.map((value, axis) => (value * a.size + b.at[axis] * b.size) / size);
  return { at, size, radius: Math.max(a.radius, b.radius), row: a.size >= b.size ? a.row : b.row, also: [...(a.also ?? []), b.id] };
}

/**
 * The regions whose names fit a zoom, the coarse first: those that are neither a dot nor larger than the picture.
 * @param {Region[]} regions @param {number} k pixels a data unit @param {{width: number, height: number}} frame
 */
export function fitting(regions, k, { width, height }) {
  const side = Math.min(width, height);
  return regions.filter(({ radius }) => radius * k >= REACH.least * side && radius * k <= REACH.most * side);
}

/** The regions of one level that lie nearest to another one, nearest first. @param {Region[]} regions @param {Region} region @param {number} most */
export function nearestTo(regions, region, most) {
  const far = ({ at }) => Math.hypot(...at.map((value, axis) => value - region.at[axis]));
  const others = regions.filter((one) => one.id !== region.id && levelOf(one.id) === levelOf(region.id));
  return others.toSorted((a, b) => far(a) - far(b)).slice(0, most);
}
