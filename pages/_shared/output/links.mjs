/** The link that is copied, and what is said of it. */

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const HERE_ONLY = "Copied. Others cannot open this link: embedviz runs on this computer.";

/**
 * The link to copy, and what is said of it: where this one opens on this computer only, that of the network in its place.
 * @param {string} href
 * @param {{network?: string, open?: boolean, query?: string}} data the address in the network, whether it answers, and
 *   the query to copy where that of the page is the visitor's alone
 */
export function linkFor(href, { network, open, query }) {
  const here = new URL(href);
  if (query !== undefined) here.search = query;
  if (!LOOPBACK.test(here.hostname)) return { link: here.href, said: "" };
  if (!network) return { link: here.href, said: HERE_ONLY };
  const link = `${network}${here.pathname}${here.search}`;
  if (open) return { link, said: `Copied with the address in your network, ${network}: ${here.host} opens on this computer only.` };
  return { link: here.href, said: `${HERE_ONLY} Start it with make serve, then others open ${link}` };
}
