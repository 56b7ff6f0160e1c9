import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { renderMarkdown } from '#markdown';

/** In characters, sources and results together; several thousand channels' worth. */
const MOST_KEPT = 16_000_000;

/** Renders the descriptions of channels, each once: a list may have thousands, and they seldom change. */
@Injectable()
export class RenderedDescriptions {
  readonly #rendered = new LRUCache<string, string>({
    maxSize: MOST_KEPT,
    // An empty one takes room too.
    sizeCalculation: (rendered, source) => rendered.length + source.length + 1,
  });

  /** The HTML of a description written in Markdown, safe to show. */
  htmlOf(source: string): string {
    const known = this.#rendered.get(source);
    if (known !== undefined) return known;
    const rendered = renderMarkdown(source);
    this.#rendered.set(source, rendered);
    return rendered;
  }
}
