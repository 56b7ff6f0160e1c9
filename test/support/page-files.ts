import { type Reply, sendRequest } from './http-request.js';

/** Files that a page or a module of it asks the browser to load. */
const LOADED = /(?:<(?:script|link|img)[^>]*? (?:src|href)=|\bfrom )["']([^"'#][^"']*)["']/g;

/**
 * Loads a page with all that it consists of, through however many modules, as a browser would.
 * Resolves with the answer to each file, by the last part of its address.
 */
export async function loadPage(
  pageUrl: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, Reply>> {
  const replies = new Map<string, Reply>();
  const load = async (url: string): Promise<void> => {
    const reply = await sendRequest(url, { headers });
    replies.set(url.slice(url.lastIndexOf('/') + 1), reply);
    for (const [, address = ''] of reply.text.matchAll(LOADED)) {
      const { href, protocol } = new URL(address, url);
      const isKnown = replies.has(href.slice(href.lastIndexOf('/') + 1));
      if (protocol !== 'data:' && !isKnown) await load(href);
    }
  };
  await load(pageUrl);
  return replies;
}
