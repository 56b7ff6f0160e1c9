import { Injectable } from '@nestjs/common';
import { UserAccess } from '#directory/users';
import { ApiError, type Caller } from '#platform/contracts';
import { mapInSlices } from '#platform/core';
import { renderMarkdown } from '#platform/markdown';
import { messageErrors } from '../messages.errors.js';
import { MessagesService } from '../messages.service.js';
import { EarlierChannelRepository } from '../reading/earlier-channel.repository.js';
import { MessageAccess } from '../reading/message-access.js';
import { earlierChannelsOf, visibleEdits } from '../reading/visible-edits.rules.js';
import { MessageHistoryRepository } from './message-history.repository.js';
import { type MessageHistory, type EditRecord, versionsOf } from './message-history.rules.js';

/** A change with the HTML that is not stored. */
const withHtml = (edit: EditRecord): EditRecord =>
  edit.prevContent === null || edit.prevRendered !== null
    ? edit
    : { ...edit, prevRendered: renderMarkdown(edit.prevContent).html };

/** Reads earlier versions of messages, and the accounts that have read them. */
@Injectable()
export class MessageHistoryService {
  constructor(
    private readonly messages: MessagesService,
    private readonly messageAccess: MessageAccess,
    private readonly access: UserAccess,
    private readonly history: MessageHistoryRepository,
    private readonly earlierChannels: EarlierChannelRepository,
  ) {}

  /**
   * The versions of a message, oldest first; none from before a move from a channel whose messages the caller could not
   * read. Rejects with `invalidMessage` if the caller cannot read it.
   */
  async versions(caller: Caller, messageId: number): Promise<MessageHistory> {
    const message = await this.messages.fetch(caller, messageId);
    const changes = await this.history.changes(messageId);
    if (changes === null) throw new ApiError(messageErrors.invalidMessage);
    const { present } = changes;
    const channels = earlierChannelsOf(changes.edits);
    const readable = await this.earlierChannels.readableAmong(caller, channels);
    const edits = visibleEdits(changes.edits, readable, message.received);
    const rendered = present.rendered ?? message.rendered;
    const newest = { ...message, ...present, rendered };
    const versions = versionsOf(newest, await mapInSlices(edits, withHtml));
    return { isDirect: message.channel === null, versions };
  }

  /**
   * The accounts that have read a message and share that, without its sender, in ascending order. A guest gets only those
   * that the guest may see. Rejects with `invalidMessage` if the caller cannot read the message.
   */
  async readers(caller: Caller, messageId: number): Promise<number[]> {
    const { senderId } = await this.messageAccess.require(caller, messageId);
    const [readers, visible] = await Promise.all([
      this.history.readers(messageId, senderId, caller.userId),
      this.access.visibleIds(caller),
    ]);
    return visible === null ? readers : readers.filter((id) => visible.has(id));
  }
}
