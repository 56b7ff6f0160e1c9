import { Injectable } from '@nestjs/common';
import type { LinkMatch, MarkdownContext } from '#platform/markdown';
import { LRUCache } from 'lru-cache';
import { LinkifierRepository } from './linkifier.repository.js';
import {
  compileLinkifier,
  type LinkifierPattern,
  linksIn,
  MAX_WORK,
  type ForwardLinkifier,
} from './linkifier.rules.js';

/** Compiled linkifiers in memory, some kilobytes each. */
const MAX_COMPILED = 1000;

/** The linkifiers of organisations for the rendering of messages. */
@Injectable()
export class LinkifierLookup {
  /** By pattern and template, as JSON. */
  readonly #compiled = new LRUCache<string, LinkifierPattern, ForwardLinkifier>({
    max: MAX_COMPILED,
    memoMethod: (_key, _stale, { context }) => compileLinkifier(context),
  });

  constructor(private readonly linkifiers: LinkifierRepository) {}

  /**
   * The part of the context with the linkifiers of an organisation, for one request or message: one statement. All texts
   * share a limited work, after which no more links are found; equal texts, such as topics, are searched once.
   */
  async of(realmId: number): Promise<Pick<MarkdownContext, 'linksIn'>> {
    const linkifiers = await this.linkifiers.list(realmId);
    if (linkifiers.length === 0) return {};
    const compiled = linkifiers.map(({ pattern, urlTemplate }) => {
      const context = { pattern, urlTemplate };
      return this.#compiled.memo(JSON.stringify([pattern, urlTemplate]), { context });
    });
    const work = { left: MAX_WORK };
    const known = new Map<string, readonly LinkMatch[]>();
    return {
      linksIn: (text) => {
        const links = known.get(text) ?? linksIn(text, compiled, work);
        known.set(text, links);
        return links;
      },
    };
  }
}
