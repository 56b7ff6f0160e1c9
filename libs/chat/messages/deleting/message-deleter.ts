import { Inject, Injectable } from '@nestjs/common';
import { AttachmentEvents } from '#chat/attachments';
import type { Transaction } from '#platform/database';
import { FirstMessages } from '../changing/first-messages.js';
import { MESSAGE_NOTIFIER, type MessageNotifier } from '../message-notifier.js';
import { MessageDeletionEvents, type MessagesOfPlace } from './message-deletion.events.js';
import { MessageDeletionRepository } from './message-deletion.repository.js';

/** The messages of one transaction, which blocks new messages of their place. */
export const MAX_DELETED = 100;

/** Whether a place has no message left after a slice of it: `found` messages, of which `deleted` were deleted. */
export const isLastSlice = (found: number, deleted: number): boolean =>
  deleted === found && deleted < MAX_DELETED;

/** The rows of readers that one transaction deletes with several messages: statements have a time limit. */
const MAX_ROWS = 50_000;

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

  /**
   * Deletes the first of at most 100 messages of one locked channel or conversation as `delete`, with an event for each
   * spelling of a topic. Resolves with their number: all, or fewer if they have many readers.
   */
  async deleteAll(
    transaction: Transaction,
    deleterId: number | null,
    { realmId, channelId }: { readonly realmId: number; readonly channelId: number | null },
    messages: readonly { readonly id: number; readonly topic: string }[],
  ): Promise<number> {
    const deletedIds = await this.#withFewRows(
      transaction,
      messages.map(({ id }) => id),
    );
    const deletedNow = messages.slice(0, deletedIds.length);
    for (const topic of new Set(deletedNow.map((message) => message.topic))) {
      const ids = deletedNow.filter((message) => message.topic === topic).map(({ id }) => id);
      const [first = 0, ...others] = ids;
      const messageIds = [first, ...others] as const;
      const deleted = { realmId, channelId, topic, messageIds };
      await this.events.deleted(transaction, deleterId, deleted);
    }
    if (deletedIds.length > 0) {
      await this.#remove(transaction, { realmId, channelId }, deletedIds);
    }
    return deletedIds.length;
  }

  /** The first messages, one at least, whose rows of readers one statement can delete. */
  async #withFewRows(
    transaction: Transaction,
    messageIds: readonly number[],
  ): Promise<readonly number[]> {
    let ids = messageIds;
    while (ids.length > 1 && (await this.deletions.hasMoreRows(transaction, ids, MAX_ROWS))) {
      ids = ids.slice(0, Math.ceil(ids.length / 2));
    }
    return ids;
  }

  /** Removes messages whose events have been added, and refreshes all that followed from them. */
  async #remove(
    transaction: Transaction,
    { realmId, channelId }: Pick<MessagesOfPlace, 'realmId' | 'channelId'>,
    messageIds: readonly number[],
  ): Promise<void> {
    const { fileIds, onScreen } = await this.deletions.delete(transaction, messageIds);
    await this.attachmentEvents.linked(transaction, fileIds);
    if (channelId !== null) await this.firstMessages.refresh(transaction, realmId, [channelId]);
    if (onScreen.length === 0) return;
    await this.notifier.read(transaction, onScreen);
  }
}
