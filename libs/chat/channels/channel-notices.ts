import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';

/** A channel that a notice names. */
export interface ChannelOfNotice {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  /** The policy that applies to its topics. */
  readonly topicsPolicy: string;
}

/** Sends notices after the commit of their transaction. Never rejects. */
export type SendChannelNotices = () => Promise<void>;

/** Stores the notices of the server about channels in the transaction of a change. Each result sends them. */
export interface ChannelNotices {
  /** For accounts that the caller has subscribed. */
  subscribed(
    transaction: Transaction,
    caller: Caller,
    userIds: readonly number[],
    channels: readonly ChannelOfNotice[],
  ): Promise<SendChannelNotices>;
  /** In new channels that the caller has created. */
  created(
    transaction: Transaction,
    caller: Caller,
    channels: readonly ChannelOfNotice[],
  ): Promise<SendChannelNotices>;
  /** About new channels, in the channel that the organisation has for announcements; in none without one. */
  announced(
    transaction: Transaction,
    caller: Caller,
    channels: readonly ChannelOfNotice[],
  ): Promise<SendChannelNotices>;
  /** In a channel about changes by the caller, in Markdown without the name of the caller. */
  changed(
    transaction: Transaction,
    caller: Caller,
    channel: ChannelOfNotice,
    changes: readonly string[],
  ): Promise<SendChannelNotices>;
}

/** DI token of the ChannelNotices; a program without it sends none. */
export const CHANNEL_NOTICES = Symbol('ChannelNotices');
