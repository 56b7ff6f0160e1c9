import type { Caller } from '#platform/contracts';

/** A channel that a notice names. */
export interface NoticedChannel {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  /** The policy that applies to its topics. */
  readonly topicsPolicy: string;
}

/** Sends the notices of the server about channels. No method rejects, and a lost notice is not sent again. */
export interface ChannelNotices {
  /** Tells accounts that the caller has subscribed them. */
  subscribed(
    caller: Caller,
    userIds: readonly number[],
    channels: readonly NoticedChannel[],
  ): Promise<void>;
  /** Tells in new channels that the caller has created them. */
  created(caller: Caller, channels: readonly NoticedChannel[]): Promise<void>;
  /** Tells in a channel of a change by the caller, in Markdown without the name of the caller. */
  changed(caller: Caller, channel: NoticedChannel, change: string): Promise<void>;
}

/** DI token of the ChannelNotices; a program without it sends none. */
export const CHANNEL_NOTICES = Symbol('ChannelNotices');
