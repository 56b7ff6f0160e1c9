import { Injectable } from '@nestjs/common';
import { GroupMembershipRepository } from '#directory/groups';
import { UserAccess } from '#directory/users';
import { ApiError, type Caller } from '#platform/contracts';
import {
  type MentionedNames,
  mentionedNames,
  type Mentions,
  renderMarkdown,
} from '#platform/markdown';
import { messageErrors } from '../messages.errors.js';
import { MentionRepository, type NamedObject } from './mention.repository.js';
import { contextOf } from './mentions.rules.js';

/** A rendered message and its mentions. */
export interface ComposedMessage {
  /** Markdown. */
  readonly content: string;
  readonly rendered: string;
  readonly mentions: Mentions;
}

/** Renders messages with the names in them looked up, and checks their mentions. */
@Injectable()
export class MessageComposer {
  constructor(
    private readonly mentions: MentionRepository,
    private readonly access: UserAccess,
    private readonly membership: GroupMembershipRepository,
  ) {}

  /**
   * Renders Markdown with the names in it looked up: a bounded number of statements, and none without names. The name
   * of an object that the caller may not see stays plain text, since a mention would reveal the object.
   */
  async compose(caller: Caller, content: string): Promise<ComposedMessage> {
    const named = mentionedNames(content);
    const isPlain = Object.values(named).every((names) => names.length === 0);
    const found = isPlain ? [] : await this.#find(caller, named);
    const { html, mentions } = renderMarkdown(content, contextOf(found));
    return { content, rendered: html, mentions };
  }

  /** The HTML of many sources, with the names in all of them looked up at once. */
  async renderAll(caller: Caller, contents: readonly string[]): Promise<string[]> {
    const all = contents.map(mentionedNames);
    const named = {
      users: all.flatMap(({ users }) => users),
      groups: all.flatMap(({ groups }) => groups),
      channels: all.flatMap(({ channels }) => channels),
    };
    const isPlain = Object.values(named).every((names) => names.length === 0);
    const context = contextOf(isPlain ? [] : await this.#find(caller, named));
    return contents.map((content) => renderMarkdown(content, context).html);
  }

  async #find(caller: Caller, named: MentionedNames): Promise<NamedObject[]> {
    const author = { userId: caller.userId, realmId: caller.realm.id };
    const [found, visible] = await Promise.all([
      this.mentions.find(author, named),
      this.access.visibleIds(caller),
    ]);
    return found.filter(({ kind, id }) => kind !== 'user' || (visible?.has(id) ?? true));
  }

  /** Rejects with `mayNotMentionGroup` for the first group that the caller may not mention. */
  async checkMentions(caller: Caller, { groupIds }: Mentions): Promise<void> {
    if (groupIds.length === 0) return;
    const [groups, own] = await Promise.all([
      this.mentions.mentionPermissions(groupIds),
      this.membership.groupsOf(caller.userId),
    ]);
    for (const { name, isSystem, canMentionId } of groups) {
      // By default nobody may mention a system group, and everyone may mention any other group.
      const mayMention = canMentionId === null ? !isSystem : own.has(canMentionId);
      if (!mayMention) throw new ApiError(messageErrors.mayNotMentionGroup, { name });
    }
  }
}
