import { Injectable } from '@nestjs/common';
import { mapInSlices } from '#platform/core';
import type { LinkMatch, MarkdownContext } from '#platform/markdown';
import { LRUCache } from 'lru-cache';
import { LinkifierRepository, MAX_LINKIFIERS } from './linkifier.repository.js';
import {
  compileLinkifier,
  LARGEST_PROGRAM,
  type LinkifierPattern,
  linksIn,
  MAX_WORK,
  type ForwardLinkifier,
} from './linkifier.rules.js';

/** The instructions of all compiled linkifiers in memory, some 200 bytes each: those of the largest organisation fit. */
const MAX_INSTRUCTIONS = MAX_LINKIFIERS * LARGEST_PROGRAM;

/** The linkifiers of organisations for the rendering of messages. */
@Injectable()
export class LinkifierLookup {
  /** By pattern and template, as JSON. */
  readonly #compiled = new LRUCache<string, LinkifierPattern, ForwardLinkifier>({
    maxSize: MAX_INSTRUCTIONS,
    sizeCalculation: ({ expression }) => expression.programSize(),
    memoMethod: (_key, _stale, { context }) => compileLinkifier(context),
  });

  constructor(private readonly linkifiers: LinkifierRepository) {}

  /**
   * The part of the context with the linkifiers of an organisation, for one request or message: one statement. All texts
   * share a limited work, after which no more links are found; equal texts, such as topics, are searched once.
   */
  async of(realmId: number): Promise<Pick<MarkdownContext, 'linksIn'>> {
    const linkifiers = await this.linkifiers.forward(realmId);
    if (linkifiers.length === 0) return {};
    const compiled = await mapInSlices(linkifiers, (context) =>
      this.#compiled.memo(JSON.stringify([context.pattern, context.urlTemplate]), { context }),
    );
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
