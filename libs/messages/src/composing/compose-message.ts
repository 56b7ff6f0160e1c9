import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { type Mentions, mentionsIn, renderMarkdown } from '#markdown';
import { AccessUser } from '#users';
import { MentionRepository, type NamedThing } from './mention.repository.js';
import { type CalledPeople, calledIn, contextOf } from './mentions.rules.js';

/** A message as it will be read, and whom it calls. */
export interface ComposedMessage {
  /** As its author wrote it: Markdown. */
  readonly content: string;
  readonly rendered: string;
  readonly called: CalledPeople;
}

/** Renders what somebody writes, with the names in it looked up: a bounded number of statements, and none without names. */
@Injectable()
export class ComposeMessage {
  constructor(
    private readonly mentions: MentionRepository,
    private readonly accessUser: AccessUser,
  ) {}

  /** A name of what the caller may not know of stays as it was written: a mention would tell that it is there. */
  async execute(caller: Caller, content: string): Promise<ComposedMessage> {
    const named = mentionsIn(content);
    const isPlain = Object.values(named).every((names) => names.length === 0);
    const found = isPlain ? [] : await this.#find(caller, named);
    const rendered = renderMarkdown(content, contextOf(found));
    return { content, rendered, called: calledIn(rendered) };
  }

  async #find(caller: Caller, named: Mentions): Promise<NamedThing[]> {
    const author = { userId: caller.userId, realmId: caller.realm.id };
    const [found, visible] = await Promise.all([
      this.mentions.find(author, named),
      this.accessUser.visibleTo(caller),
    ]);
    return found.filter(({ kind, id }) => kind !== 'user' || (visible?.has(id) ?? true));
  }
}
