/** An account, as far as it decides about its notifications. */
export interface AccountFacts {
  readonly id: number;
  readonly isActivePerson: boolean;
  /** `enable_offline_push_notifications`. */
  readonly wantsDirect: boolean;
  /** `enable_stream_push_notifications`. */
  readonly wantsChannels: boolean;
  /** `wildcard_mentions_notify`. */
  readonly wantsWildcards: boolean;
  /** `enable_followed_topic_push_notifications`. */
  readonly wantsFollowed: boolean;
  /** `enable_followed_topic_wildcard_mentions_notify`. */
  readonly wantsFollowedWildcards: boolean;
}

/** A message that an account received and has not read. */
export interface UnreadFacts {
  readonly messageId: number;
  readonly senderId: number;
  /** It causes no notifications, like the notice of a move. */
  readonly isSilent: boolean;
  /** Null for a direct message. */
  readonly channel: ChannelFacts | null;
  /** By name, or as a member of a group. */
  readonly isMentioned: boolean;
  /** As a subscriber, or as a participant of the topic. */
  readonly isWildcardMentioned: boolean;
}

/** The channel and the topic of a message, as the account has set them. */
interface ChannelFacts {
  readonly isSubscribed: boolean;
  readonly isMuted: boolean;
  /** Null: the setting of the account. */
  readonly wantsAll: boolean | null;
  readonly wantsWildcards: boolean | null;
  readonly topic: 'inherited' | 'muted' | 'unmuted' | 'followed';
}

/**
 * Whether the phones of an account show an unread message once everything has come to rest. This is the rule of
 * docs/push-messages.md, written a second time: it shares nothing with the code that it tests.
 */
export function isShownAtRest(account: AccountFacts, message: UnreadFacts): boolean {
  if (!account.isActivePerson || message.senderId === account.id) return false;
  if (message.isSilent) return false;
  const { channel } = message;
  if (channel === null) return account.wantsDirect;
  if (!channel.isSubscribed) return false;
  if (message.isMentioned && account.wantsDirect) return true;
  const isHeard = channel.topic === 'unmuted' || channel.topic === 'followed';
  if (channel.topic === 'muted' || (channel.isMuted && !isHeard)) return false;
  const isFollowed = channel.topic === 'followed';
  const wantsWildcards =
    (channel.wantsWildcards ?? account.wantsWildcards) ||
    (isFollowed && account.wantsFollowedWildcards);
  if (message.isWildcardMentioned && account.wantsDirect && wantsWildcards) return true;
  return (channel.wantsAll ?? account.wantsChannels) || (isFollowed && account.wantsFollowed);
}
