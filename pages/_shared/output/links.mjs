/** The link to copy, and the sentence about it. */

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const HERE_ONLY = "Copied. Others cannot open this link: embedviz runs on this computer.";

/**
 * Return the link to copy and a sentence about it. A link that opens on this computer only is replaced by the
 * network's.
 * @param {string} href
 * @param {{network?: string, open?: boolean, query?: string}} data the address in the network, whether it can be opened
 *   there, and the query to copy if the page's own query is only for this visitor
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
