/** The link that is copied, and what is said of it. */

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const HERE_ONLY = "Copied. Others cannot open this link: embedviz runs on this computer.";

/**
 * The link to copy, and what is said of it: where this one opens on this computer only, that of the network in its place.
 * @param {string} href @param {{network?: string, open?: boolean}} data the address in the network, and whether it answers
 */
export function linkFor(href, { network, open }) {
  const here = new URL(href);
  if (!LOOPBACK.test(here.hostname)) return { link: href, said: "" };
  if (!network) return { link: href, said: HERE_ONLY };
  const link = `${network}${here.pathname}${here.search}`;
  if (open) return { link, said: `Copied with the address in your network, ${network}: ${here.host} opens on this computer only.` };
  return { link: href, said: `${HERE_ONLY} Start it with make serve, then others open ${link}` };
}
