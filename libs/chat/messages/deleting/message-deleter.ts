import { Inject, Injectable } from '@nestjs/common';
import { AttachmentEvents } from '#chat/attachments';
import type { Transaction } from '#platform/database';
import { FirstMessages } from '../changing/first-messages.js';
import { MESSAGE_NOTIFIER, type MessageNotifier } from '../message-notifier.js';
import { MessageDeletionEvents, type MessagesOfPlace } from './message-deletion.events.js';
import { MessageDeletionRepository } from './message-deletion.repository.js';

/** Deletes messages with all that belongs to them, and tells clients and phones. */
@Injectable()
export class MessageDeleter {
  constructor(
    private readonly deletions: MessageDeletionRepository,
    private readonly firstMessages: FirstMessages,
    private readonly events: MessageDeletionEvents,
    private readonly attachmentEvents: AttachmentEvents,
    @Inject(MESSAGE_NOTIFIER) private readonly notifier: MessageNotifier,
  ) {}

  /**
   * Deletes messages, which must exist and whose place must be locked: a bounded number of statements. Their readers and the deleting account get an event, the
   * notifications are removed from phones, and the owners of linked files learn of the removed links. Files stay.
   */
  async delete(
    transaction: Transaction,
    deleterId: number,
    deleted: MessagesOfPlace,
  ): Promise<void> {
    const { realmId, channelId, messageIds } = deleted;
    await this.events.deleted(transaction, deleterId, deleted);
    const onScreen = await this.deletions.onScreen(transaction, messageIds);
    const fileIds = await this.deletions.delete(transaction, messageIds);
    await this.attachmentEvents.linked(transaction, fileIds);
    if (channelId !== null) await this.firstMessages.refresh(transaction, realmId, [channelId]);
    if (onScreen.length === 0) return;
    transaction.afterCommit(await this.notifier.read(transaction, onScreen));
  }
}
