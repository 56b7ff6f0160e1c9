import { Injectable } from '@nestjs/common';
import { escapedHtml, mapInSlices } from '#platform/core';
import type { Session } from '#platform/database';
import type { SearchText } from '../narrows/term.js';
import type { MessageView } from '../reading/message.repository.js';
import { HighlightRepository } from './highlight.repository.js';
import { highlighted } from './highlight.rules.js';

/** A message as HTML, with an element around each match of a search. */
export interface Match {
  readonly content: string;
  /** Empty for the empty topic. */
  readonly topic: string;
}

/** Highlights the matches of searches. */
@Injectable()
export class Highlighter {
  constructor(private readonly repository: HighlightRepository) {}

  /** One for each message: one statement. */
  async matches(
    session: Session,
    messages: readonly MessageView[],
    searches: readonly SearchText[],
  ): Promise<Match[]> {
    if (messages.length === 0) return [];
    const contents = messages.map(({ rendered }) => rendered);
    const topics = messages.map(({ topic }) => escapedHtml(topic));
    const marked = await this.repository.mark(session, [...contents, ...topics], searches);
    const htmls = await mapInSlices(marked, highlighted);
    return messages.map((_, index) => ({
      content: htmls[index] ?? '',
      topic: htmls[messages.length + index] ?? '',
    }));
  }
}
