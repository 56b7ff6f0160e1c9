import { Injectable } from '@nestjs/common';
import { GroupMembershipRepository } from '#directory/groups';
import { ApiError, type Caller } from '#platform/contracts';
import { mapInSlices } from '#platform/core';
import { type Mentions, renderMarkdown } from '#platform/markdown';
import { messageErrors } from '../messages.errors.js';
import { MentionRepository } from './mention.repository.js';
import { MessageContext } from './message-context.js';
import { topicLinksIn, type TopicLinks } from './topic-links.rules.js';

/** The rendered content of a message and its mentions. */
export interface MessageContent {
  /** Markdown. */
  readonly content: string;
  readonly rendered: string;
  readonly mentions: Mentions;
  readonly topicLinks: TopicLinks;
}

/** Renders messages with the names in them looked up, and checks their mentions. */
@Injectable()
export class MessageComposer {
  constructor(
    private readonly mentions: MentionRepository,
    private readonly context: MessageContext,
    private readonly membership: GroupMembershipRepository,
  ) {}

  /** Renders Markdown with the names, emoji and files in it looked up, as far as the caller may see them. */
  async compose(caller: Caller, content: string): Promise<MessageContent> {
    const context = await this.context.of(caller, content);
    const { html, mentions } = renderMarkdown(content, context);
    const topicLinks: TopicLinks = (topic) => topicLinksIn(topic, context.linksIn);
    return { content, rendered: html, mentions, topicLinks };
  }

  /** Finds the links in topics of an organisation: one statement. */
  topicLinks(realmId: number): Promise<TopicLinks> {
    return this.context.topicLinks(realmId);
  }

  /** The HTML of many sources, with the names, emoji and files in all of them looked up at once. */
  async renderAll(caller: Caller, contents: readonly string[]): Promise<string[]> {
    if (contents.length === 0) return [];
    const context = await this.context.of(caller, contents.join('\n'));
    return mapInSlices(contents, (content) => renderMarkdown(content, context).html);
  }

  /** Rejects with `mayNotMentionGroup` for the first group that the caller cannot mention. */
  async checkMentions(caller: Caller, { groupIds }: Mentions): Promise<void> {
    if (groupIds.length === 0) return;
    const [groups, own] = await Promise.all([
      this.mentions.mentionPermissions(groupIds),
      this.membership.groupsOf(caller.userId),
    ]);
    for (const { name, isSystem, canMentionId } of groups) {
      // By default no account may mention a system group, and every account any other group.
      const mayMention = canMentionId === null ? !isSystem : own.has(canMentionId);
      if (!mayMention) throw new ApiError(messageErrors.mayNotMentionGroup, { name });
    }
  }
}
