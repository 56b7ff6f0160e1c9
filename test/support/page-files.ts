import { type Reply, sendRequest } from './http-request.js';

/** The files that a page, or a module of it, makes the browser load. */
const LOADED = /(?:<(?:script|link|img)[^>]*? (?:src|href)=|\bfrom )["']([^"'#][^"']*)["']/g;

/**
 * Loads a page and, recursively, all of its files, as a browser does. Resolves with the response for each file, by the
 * last part of its URL.
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
