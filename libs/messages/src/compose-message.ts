import { Injectable } from '@nestjs/common';
import { mentionsIn, renderMarkdown } from '#markdown';
import { type Author, MentionRepository } from './mention.repository.js';
import { type CalledPeople, calledIn, contextOf } from './mentions.rules.js';

/** A message as it will be read, and whom it calls. */
export interface ComposedMessage {
  /** As its author wrote it: Markdown. */
  readonly content: string;
  readonly rendered: string;
  readonly called: CalledPeople;
}

/** Renders what somebody writes, with the names in it looked up: one statement, and none without names. */
@Injectable()
export class ComposeMessage {
  constructor(private readonly mentions: MentionRepository) {}

  async execute(author: Author, content: string): Promise<ComposedMessage> {
    const named = mentionsIn(content);
    const isPlain = Object.values(named).every((names) => names.length === 0);
    const found = isPlain ? [] : await this.mentions.find(author, named);
    const rendered = renderMarkdown(content, contextOf(found));
    return { content, rendered, called: calledIn(rendered) };
  }
}
