import { Inject, Injectable } from '@nestjs/common';
import {
  AttachmentEventRepository,
  AttachmentEvents,
  toAttachmentResponse,
} from '#chat/attachments';
import type { TopicPlace } from '#chat/user-topics';
import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { renderMarkdown } from '#platform/markdown';
import type { LockedMessage } from '../changing/locked-message.repository.js';
import { type MessageContent, MessageComposer } from '../composing/message-composer.js';
import { type ContentReferences, MessagePreparer } from '../composing/message-preparer.js';
import { MESSAGE_NOTIFIER, type MessageNotifier } from '../message-notifier.js';
import { isMeMessage } from '../message.response.js';
import {
  type LinkChange,
  type MentionChange,
  EditedContentRepository,
} from './edited-content.repository.js';
import type { ContentUpdate } from './update-event.rules.js';

/** The new content of a message, before the transaction that stores it. */
export interface NewContent {
  readonly composed: MessageContent;
  readonly references: ContentReferences;
}

/** A file that no message links any more. */
export type UnusedUpload = ReturnType<typeof toAttachmentResponse>;

/** Changes the contents of messages, and their mentions, links to files and notifications. */
@Injectable()
export class ContentEditor {
  constructor(
    private readonly composer: MessageComposer,
    private readonly preparer: MessagePreparer,
    private readonly contents: EditedContentRepository,
    private readonly attachmentEvents: AttachmentEvents,
    private readonly attachments: AttachmentEventRepository,
    @Inject(MESSAGE_NOTIFIER) private readonly notifier: MessageNotifier,
  ) {}

  /**
   * Renders a content, and looks up the objects that it names. `place` is null for a direct message. Rejects with
   * `mayNotMentionGroup`.
   */
  async compose(caller: Caller, content: string, place: TopicPlace | null): Promise<NewContent> {
    const composed = await this.composer.compose(caller, content);
    await this.composer.checkMentions(caller, composed.mentions);
    const author = { userId: caller.userId, realmId: caller.realm.id };
    return { composed, references: await this.preparer.prepare(author, composed, place) };
  }

  /**
   * Stores a content. The notifications are decided again for readers whose mention it adds or removes. Resolves with the files
   * of the editor that no message links any more.
   */
  async apply(
    transaction: Transaction,
    message: LockedMessage,
    { composed, references }: NewContent,
    at: Date,
  ): Promise<UnusedUpload[]> {
    const mentionsTopic = references.mentionedParticipantIds.length > 0;
    await this.contents.setContent(transaction, message.id, { ...composed, mentionsTopic }, at);
    const mentions = await this.contents.setMentions(transaction, message.id, references);
    await this.#notify(transaction, message, references, mentions);
    const ids = references.attachmentIds;
    const links = await this.contents.setLinks(transaction, message.id, ids);
    return this.#detached(transaction, message, links);
  }

  async #notify(
    transaction: Transaction,
    { id, senderId, channelId }: LockedMessage,
    { mentionedVia }: ContentReferences,
    mentions: readonly MentionChange[],
  ): Promise<void> {
    if (mentions.length === 0) return;
    const changedFor = mentions.map(({ userId }) => userId);
    const addedFor = mentions.filter(({ isAdded }) => isAdded).map(({ userId }) => userId);
    const edited = { id, senderId, channelId, mentionedVia, changedFor, addedFor };
    await this.notifier.edited(transaction, edited);
  }

  async #detached(
    transaction: Transaction,
    { senderId }: LockedMessage,
    links: readonly LinkChange[],
  ): Promise<UnusedUpload[]> {
    const changed = links.map(({ id }) => id);
    const removed = links.filter(({ isRemoved }) => isRemoved).map(({ id }) => id);
    await this.attachmentEvents.linked(transaction, changed);
    if (removed.length === 0) return [];
    const files = await this.attachments.find(transaction, removed);
    return files
      .filter(({ ownerId, messageIds }) => ownerId === senderId && messageIds.length === 0)
      .map(toAttachmentResponse);
  }
}

/** The members of the event of a changed content. */
export const contentUpdate = (
  { content, rendered }: LockedMessage,
  { composed }: NewContent,
): ContentUpdate => ({
  orig_content: content,
  orig_rendered_content: rendered ?? renderMarkdown(content).html,
  content: composed.content,
  rendered_content: composed.rendered,
  is_me_message: isMeMessage(composed.content),
});
