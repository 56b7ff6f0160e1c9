import { Inject, Injectable } from '@nestjs/common';
import type { AccessedChannel } from '#chat/channels';
import type { Transaction } from '#platform/database';
import { FirstMessages } from '../changing/first-messages.js';
import {
  MessageDeletionEvents,
  type MessagesOfPlace,
} from '../deleting/message-deletion.events.js';
import { MessageDeletionRepository } from '../deleting/message-deletion.repository.js';
import { MESSAGE_NOTIFIER, type MessageNotifier, type ScreenRead } from '../message-notifier.js';
import { MessageEditEvents } from './message-edit.events.js';
import { type MessageIds, tooMany } from './message-mover.js';
import { MovedMessagesRepository, onScreenOf } from './moved-messages.repository.js';

/** A move to another channel. */
interface ChannelMove {
  readonly realmId: number;
  readonly messageIds: MessageIds;
  readonly from: number;
  readonly to: AccessedChannel;
}

/** The rows that one request adds for the subscribers of a channel that hides its history. */
const MAX_ADDED = 200_000;

/** The rows of readers that one request deletes: each costs more than an added one, and statements have a time limit. */
const MAX_DELETED = 50_000;

/** Changes the rows of readers that a move to another channel concerns. */
@Injectable()
export class MovedReaders {
  constructor(
    private readonly moved: MovedMessagesRepository,
    private readonly firstMessages: FirstMessages,
    private readonly deletions: MessageDeletionRepository,
    private readonly events: MessageEditEvents,
    private readonly deletionEvents: MessageDeletionEvents,
    @Inject(MESSAGE_NOTIFIER) private readonly notifier: MessageNotifier,
  ) {}

  /**
   * Changes the rows of readers after messages came to another channel. If it hides its history, its subscribers get the
   * messages as read. Rejects with `tooManyMessagesToMove` if those are too many.
   */
  async moveReaders(
    transaction: Transaction,
    { realmId, messageIds, from, to }: ChannelMove,
  ): Promise<void> {
    const { channel } = to;
    if (!(channel.isHistoryPublic ?? !channel.isPrivate)) {
      const readers = await this.moved.countSubscribers(transaction, channel.id);
      const most = Math.floor(MAX_ADDED / Math.max(readers, 1));
      if (messageIds.length > most) throw tooMany(most);
      await this.moved.addAsRead(transaction, channel.id, messageIds);
    }
    const read = await this.moved.read(transaction, messageIds, from, channel.id);
    this.events.read(transaction, realmId, read);
    await this.#takeBack(transaction, onScreenOf(read));
    await this.firstMessages.refresh(transaction, realmId, [from, channel.id]);
  }

  /**
   * Takes messages away from readers who may read them no more: their rows are deleted, their clients get the event of a
   * deletion, and the notifications are removed from their phones. The place is the one before the move. Rejects with
   * `tooManyMessagesToMove` if those are too many rows; one message can always be moved.
   */
  async removeReaders(
    transaction: Transaction,
    messages: MessagesOfPlace,
    userIds: readonly number[],
  ): Promise<void> {
    if (userIds.length === 0) return;
    const { messageIds } = messages;
    const most = Math.max(1, Math.floor(MAX_DELETED / userIds.length));
    if (messageIds.length > most) throw tooMany(most);
    this.deletionEvents.hidden(transaction, messages, userIds);
    const onScreen = await this.deletions.deleteRows(transaction, messageIds, userIds);
    await this.#takeBack(transaction, onScreen);
  }

  /**
   * Has the notifications of moved messages decided again: for accounts with a setting for one of the topics, and after a
   * move to another channel (else null) for its subscribers.
   */
  async decideAgain(
    transaction: Transaction,
    messageIds: MessageIds,
    userIds: readonly number[],
    toChannelId: number | null,
  ): Promise<void> {
    const subscribers =
      toChannelId === null ? [] : await this.moved.subscribers(transaction, toChannelId);
    const concerned = [...new Set([...userIds, ...subscribers])];
    const moved = { messageIds, userIds: concerned };
    await this.notifier.moved(transaction, moved);
  }

  async #takeBack(transaction: Transaction, onScreen: readonly ScreenRead[]): Promise<void> {
    if (onScreen.length === 0) return;
    await this.notifier.read(transaction, onScreen);
  }
}
