import { Inject, Injectable } from '@nestjs/common';
import { AttachmentEvents } from '#chat/attachments';
import type { Transaction } from '#platform/database';
import { FirstMessages } from '../changing/first-messages.js';
import { MESSAGE_NOTIFIER, type MessageNotifier } from '../message-notifier.js';
import { MessageDeletionEvents, type MessagesOfPlace } from './message-deletion.events.js';
import { MessageDeletionRepository } from './message-deletion.repository.js';

/** The messages of one transaction, which blocks new messages of their place. */
const MAX_MESSAGES = 100;

/** The rows of readers that are deleted with them. */
const MAX_ROWS = 50_000;

/** The number of messages that may be deleted in one transaction, by the number of their readers. */
export const maxMessages = (readers: number): number =>
  Math.max(1, Math.min(MAX_MESSAGES, Math.floor(MAX_ROWS / Math.max(readers, 1))));

/** Deletes messages with their rows, and informs clients and phones. */
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
   * Deletes messages, which must exist and whose place must be locked: a bounded number of statements. Their readers and
   * the deleting account (null for the server) get an event, the notifications are removed from phones, and the owners of
   * linked files learn of the removed links. Files stay.
   */
  async delete(
    transaction: Transaction,
    deleterId: number | null,
    deleted: MessagesOfPlace,
  ): Promise<void> {
    await this.events.deleted(transaction, deleterId, deleted);
    await this.#remove(transaction, deleted, deleted.messageIds);
  }

  /** Deletes messages of one locked channel or conversation as `delete`, with an event for each spelling of a topic. */
  async deleteAll(
    transaction: Transaction,
    deleterId: number | null,
    { realmId, channelId }: { readonly realmId: number; readonly channelId: number | null },
    messages: readonly { readonly id: number; readonly topic: string }[],
  ): Promise<void> {
    for (const topic of new Set(messages.map((message) => message.topic))) {
      const ids = messages.filter((message) => message.topic === topic).map(({ id }) => id);
      const [first = 0, ...others] = ids;
      const messageIds = [first, ...others] as const;
      const deleted = { realmId, channelId, topic, messageIds };
      await this.events.deleted(transaction, deleterId, deleted);
    }
    const allIds = messages.map(({ id }) => id);
    if (allIds.length > 0) await this.#remove(transaction, { realmId, channelId }, allIds);
  }

  /** Removes messages whose events have been added, and refreshes all that followed from them. */
  async #remove(
    transaction: Transaction,
    { realmId, channelId }: Pick<MessagesOfPlace, 'realmId' | 'channelId'>,
    messageIds: readonly number[],
  ): Promise<void> {
    const onScreen = await this.deletions.onScreen(transaction, messageIds);
    const fileIds = await this.deletions.delete(transaction, messageIds);
    await this.attachmentEvents.linked(transaction, fileIds, fileIds);
    if (channelId !== null) await this.firstMessages.refresh(transaction, realmId, [channelId]);
    if (onScreen.length === 0) return;
    transaction.afterCommit(await this.notifier.read(transaction, onScreen));
  }
}
