import { Inject, Injectable } from '@nestjs/common';
import { type AccessedChannel, ChannelActivityEvents } from '#chat/channels';
import { ApiError } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { FirstMessageRepository } from '../changing/first-message.repository.js';
import type { HeldMessage, MessageReader } from '../changing/held-message.repository.js';
import { MessageDeletionRepository } from '../deleting/message-deletion.repository.js';
import { MESSAGE_NOTIFIER, type MessageNotifier, type ReadOnScreen } from '../message-notifier.js';
import { messageErrors } from '../messages.errors.js';
import { MessageEditEvents } from './message-edit.events.js';
import type { MessageMove } from './message-edit.rules.js';
import { MovedMessagesRepository, onScreenOf } from './moved-messages.repository.js';

/** At least one message, in ascending order. */
export type MessageIds = readonly [number, ...number[]];

/** A move to another channel. */
export interface ChannelMove {
  readonly realmId: number;
  readonly messageIds: MessageIds;
  readonly from: number;
  readonly to: AccessedChannel;
}

/** The messages that one request moves: one statement changes them all. */
const MOST_MOVED = 10_000;
/** The rows that one request gives to the subscribers of a channel that hides its history. */
const MOST_GIVEN = 200_000;

/** Finds the messages of a move, and changes what follows from another channel. */
@Injectable()
export class MessageMover {
  constructor(
    private readonly moved: MovedMessagesRepository,
    private readonly firstMessages: FirstMessageRepository,
    private readonly channelEvents: ChannelActivityEvents,
    private readonly deletions: MessageDeletionRepository,
    private readonly events: MessageEditEvents,
    @Inject(MESSAGE_NOTIFIER) private readonly notifier: MessageNotifier,
  ) {}

  /**
   * The messages to move, in ascending order: those of the topic that the mover may read. Rejects with
   * `tooManyMessagesToMove`, with `moveLimitExceeded` if some were sent before the limit, and with `mayNotCreateTopic`.
   */
  async select(
    transaction: Transaction,
    mover: MessageReader,
    message: HeldMessage,
    move: MessageMove,
    { target, limit }: { readonly target: AccessedChannel; readonly limit: Date | null },
  ): Promise<MessageIds> {
    await this.#checkTopic(transaction, target, move.topic ?? message.topic);
    if (move.mode === 'change_one') return [message.id];
    const { ids, recent, firstRecentId } = await this.moved.ofTopic(transaction, mover, message, {
      firstId: move.mode === 'change_later' ? message.id : 1,
      most: MOST_MOVED + 1,
      limit: limit ?? new Date(0),
    });
    if (ids.length > MOST_MOVED) throw tooMany(MOST_MOVED);
    if (recent < ids.length) {
      throw new ApiError(
        messageErrors.moveLimitExceeded,
        { allowed: recent, total: ids.length },
        {
          first_message_id_allowed_to_move: firstRecentId,
          total_messages_in_topic: ids.length,
          total_messages_allowed_to_move: recent,
        },
      );
    }
    const [first = message.id, ...others] = ids;
    return [first, ...others];
  }

  async #checkTopic(
    transaction: Transaction,
    { channel, permissions, viewer }: AccessedChannel,
    topic: string,
  ): Promise<void> {
    if (viewer.groups.has(permissions.canCreateTopicId)) return;
    if (await this.moved.hasTopic(transaction, channel.id, topic)) return;
    throw new ApiError(messageErrors.mayNotCreateTopic, { name: channel.name });
  }

  /** Whether messages of the topic stay behind a move. */
  async leavesTopic(transaction: Transaction, { channelId, topic }: HeldMessage): Promise<boolean> {
    return channelId !== null && this.moved.hasTopic(transaction, channelId, topic);
  }

  /**
   * Changes the rows of readers after messages came to another channel. If it hides its history, its subscribers get the
   * messages as read. Rejects with `tooManyMessagesToMove` if those are too many.
   */
  async arrive(
    transaction: Transaction,
    { realmId, messageIds, from, to }: ChannelMove,
  ): Promise<void> {
    const { channel } = to;
    if (!(channel.isHistoryPublic ?? !channel.isPrivate)) {
      const readers = await this.moved.countSubscribers(transaction, channel.id);
      const most = Math.floor(MOST_GIVEN / Math.max(readers, 1));
      if (messageIds.length > most) throw tooMany(most);
      await this.moved.give(transaction, channel.id, messageIds);
    }
    const read = await this.moved.read(transaction, messageIds, from, channel.id);
    this.events.read(transaction, realmId, read);
    await this.#takeBack(transaction, onScreenOf(read));
    const changed = await this.firstMessages.refresh(transaction, [from, channel.id]);
    await this.channelEvents.firstMessagesChanged(transaction, realmId, changed);
  }

  /** Deletes the rows of readers who may read messages no more, and removes the notifications from their phones. */
  async hide(
    transaction: Transaction,
    messageIds: MessageIds,
    userIds: readonly number[],
  ): Promise<void> {
    await this.#takeBack(
      transaction,
      await this.deletions.onScreen(transaction, messageIds, userIds),
    );
    await this.deletions.deleteRows(transaction, messageIds, userIds);
  }

  async #takeBack(transaction: Transaction, onScreen: readonly ReadOnScreen[]): Promise<void> {
    if (onScreen.length === 0) return;
    transaction.afterCommit(await this.notifier.read(transaction, onScreen));
  }
}

const tooMany = (limit: number): ApiError =>
  new ApiError(messageErrors.tooManyMessagesToMove, { limit });
