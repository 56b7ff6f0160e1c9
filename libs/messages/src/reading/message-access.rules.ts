/** What of a message in a channel decides whether an account may read it. */
export interface ChannelMessageReach {
  /** Whether the account may read what is said in the channel. */
  readonly hasContentAccess: boolean;
  readonly isPrivate: boolean;
  /** Whether subscribers see what was said before they came; null for what is usual of its kind. */
  readonly isHistoryPublic: boolean | null;
  /** Whether the message was sent to the account. */
  readonly isReceived: boolean;
}

/**
 * Whether an account may read a message of a channel: as a reader of the channel, and, where its history
 * is not shown to whoever comes later, only what was sent to them.
 */
export const mayReadChannelMessage = (reach: ChannelMessageReach): boolean =>
  reach.hasContentAccess && (reach.isReceived || (reach.isHistoryPublic ?? !reach.isPrivate));
