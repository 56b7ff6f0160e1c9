import { Injectable } from '@nestjs/common';
import type { AccessedChannel } from '#chat/channels';
import { UserTopicsService } from '#chat/user-topics';
import { ApiError } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import {
  type LockedMessage,
  MAX_MOVED,
  type MessageReader,
} from '../changing/locked-message.repository.js';
import type { TopicLink } from '../composing/topic-links.rules.js';
import { messageErrors } from '../messages.errors.js';
import { firstMoved, limitPassed, type MessageMove } from './message-edit.rules.js';
import { MovedMessagesRepository } from './moved-messages.repository.js';

/** At least one message, in ascending order. */
export type MessageIds = readonly [number, ...number[]];

/** A move to a channel, which may be the present one. Messages from before the limit must not be among those that move. */
export interface MovePlan extends MessageMove {
  readonly target: AccessedChannel;
  readonly limit: Date | null;
  /** The links in the new topic. */
  readonly topicLinks: readonly TopicLink[];
}

/** Finds the messages of a move, and moves the settings of their topic. */
@Injectable()
export class MessageMover {
  constructor(
    private readonly moved: MovedMessagesRepository,
    private readonly userTopics: UserTopicsService,
  ) {}

  /**
   * The messages to move, in ascending order: those of the topic that the mover may read. Rejects with
   * `tooManyMessagesToMove`, with `moveLimitExceeded` if some were sent before the limit and as `limitPassed` if all were, and
   * with `mayNotCreateTopic`. Blocks changes of the settings of users for topics until the end of the transaction.
   */
  async select(
    transaction: Transaction,
    mover: MessageReader,
    message: LockedMessage,
    { mode, topic, channelId, target, limit }: MovePlan,
  ): Promise<MessageIds> {
    await this.#checkTopic(transaction, target, topic ?? message.topic);
    await this.userTopics.lock(transaction, mover.realmId);
    const firstId = firstMoved(message.id, mode);
    if (firstId === null) return [message.id];
    const { ids, recent, firstRecentId } = await this.moved.ofTopic(transaction, mover, message, {
      firstId,
      most: MAX_MOVED + 1,
      limit: limit ?? new Date(0),
    });
    if (ids.length > MAX_MOVED) throw tooMany(MAX_MOVED);
    if (recent === 0 && ids.length > 0) throw limitPassed({ channelId });
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

  /**
   * The readers to whom a finished move must not tell the place before it: they have not been readers before, and may not
   * read that channel; and whether it is private. Nobody if the channel stayed.
   */
  async newcomers(
    transaction: Transaction,
    { channelId }: LockedMessage,
    move: MessageMove | null,
    { before, after }: { readonly before: readonly number[]; readonly after: readonly number[] },
  ): Promise<{ readonly isPrivate: boolean; readonly userIds: readonly number[] }> {
    if (channelId === null || move === null || move.channelId === null)
      return { isPrivate: false, userIds: [] };
    const earlier = new Set(before);
    const gained = after.filter((id) => !earlier.has(id));
    const { isPrivate, userIds } = await this.moved.readersAmong(transaction, channelId, gained);
    const aware = new Set(userIds);
    return { isPrivate, userIds: gained.filter((id) => !aware.has(id)) };
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

  /** Whether the new topic has messages, before the move. */
  async isMerge(
    transaction: Transaction,
    { topic: before }: LockedMessage,
    { topic }: MessageMove,
    { channel }: AccessedChannel,
  ): Promise<boolean> {
    return this.moved.hasTopic(transaction, channel.id, topic ?? before);
  }

  /** The accounts with a setting for the topic before or after a move, before the settings move. */
  async concerned(
    transaction: Transaction,
    { channelId, topic: before }: LockedMessage,
    { topic, target }: Pick<TopicChange, 'topic' | 'target'>,
  ): Promise<number[]> {
    const to = { channelId: target.channel.id, topic: topic ?? before };
    const places = channelId === null ? [to] : [{ channelId, topic: before }, to];
    return this.userTopics.concerned(transaction, places);
  }

  /**
   * Moves the settings of users for the topic if no message of it has stayed behind; resolves with whether that is so.
   * `isMerge` as it was before the move.
   */
  async moveSettings(
    transaction: Transaction,
    realmId: number,
    { channelId, topic: before }: LockedMessage,
    { topic, target, messageIds, isMerge }: TopicChange,
  ): Promise<boolean> {
    if (channelId === null) return false;
    const to = { channelId: target.channel.id, topic: topic ?? before };
    const from = { channelId, topic: before };
    if (await this.moved.hasStayed(transaction, from, to)) return false;
    await this.userTopics.moved(transaction, realmId, { from, to, messageIds, isMerge });
    return true;
  }
}

/** A move that has been carried out. */
interface TopicChange {
  /** Null if the topic stayed. */
  readonly topic: string | null;
  /** The channel after the move. */
  readonly target: AccessedChannel;
  readonly messageIds: MessageIds;
  readonly isMerge: boolean;
}

/** The error of a move of too many messages. */
export const tooMany = (limit: number): ApiError =>
  new ApiError(messageErrors.tooManyMessagesToMove, { limit });
