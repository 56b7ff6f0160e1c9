import { topicVisibilities } from '#chat/user-topics';

/** Clients show a user as offline after the same time. */
export const IDLE_AFTER_SECONDS = 200;

/** A client that reloads its page ends its event queue, and begins another one within this time. */
export const RELOAD_SECONDS = 5;

/** Why an account is notified of a message: the first of these that applies. */
export type Trigger = 'direct' | 'mention' | 'group_mention' | 'wildcard_mention' | 'channel';

/** The wishes of an account for notifications. */
interface AccountWishes {
  /** `enable_offline_push_notifications`. */
  readonly isPushEnabled: boolean;
  /** `enable_stream_push_notifications`. */
  readonly isPushedChannels: boolean;
  /** `wildcard_mentions_notify`. */
  readonly isPushedWildcards: boolean;
  /** `enable_followed_topic_push_notifications`. */
  readonly isPushedFollowedTopics: boolean;
  /** `enable_followed_topic_wildcard_mentions_notify`. */
  readonly isPushedFollowedWildcards: boolean;
  /** `enable_online_push_notifications`. */
  readonly isPushedOnline: boolean;
}

/** The subscription of an account to the channel of a message. Null inherits the wish of the account. */
interface SubscriptionWishes {
  readonly isMuted: boolean;
  readonly pushNotifications: boolean | null;
  readonly wildcardMentions: boolean | null;
}

/** What is known of the activity of an account. Times are in UNIX seconds. */
export interface Activity {
  /** Null: the account has never reported activity, or does not share it. */
  readonly activeAt: number | null;
  /** The end of the last event queue with messages; null: unknown. */
  readonly leftAt: number | null;
  /** Whether the account has an event queue with messages now. */
  readonly hasQueue: boolean;
}

/** What an account has set to keep its phones quiet. Times are in UNIX seconds. */
export interface QuietSettings {
  /** The end of the snooze; 0 for none. */
  readonly snoozedUntil: number;
  /** The end of the quiet time of now; null for none. */
  readonly quietUntil: number | null;
  /** `push_quiet_hours_exceptions`. */
  readonly exceptions: readonly string[];
  /** Whether the sender is one of `push_vip_user_ids`. */
  readonly isFromVip: boolean;
  /** `push_notifications_delay_period_seconds`. */
  readonly delaySeconds: number;
}

/** The facts that decide whether the phones of an account show a message now. */
export interface MessageFacts {
  readonly isSender: boolean;
  /** Whether the message was delivered to the account. */
  readonly isRecipient: boolean;
  readonly isPerson: boolean;
  readonly isActive: boolean;
  /** A message of a muted sender is read. */
  readonly isRead: boolean;
  /** Whether the message causes no notifications, such as the notice of a move. */
  readonly isSilent: boolean;
  readonly isInChannel: boolean;
  /** By name, or as a member of a group. */
  readonly isMentioned: boolean;
  readonly isMentionedViaGroup: boolean;
  readonly isWildcardMentioned: boolean;
  readonly wishes: AccountWishes;
  /** Null: the account is not subscribed to the channel. */
  readonly subscription: SubscriptionWishes | null;
  /** One of `topicVisibilities`; null: none. */
  readonly topicVisibility: number | null;
  readonly activity: Activity;
  readonly quiet: QuietSettings;
  /** `push_notifications_reminder_period_seconds`. */
  readonly reminderSeconds: number;
  /** In UNIX seconds. */
  readonly sentAt: number;
}

/** Why a message is held back. */
export type HoldCause = 'snoozed' | 'quiet_hours' | 'delayed';

/** The time for which a message is held back. */
export interface Hold {
  /** In UNIX seconds. */
  readonly until: number;
  readonly cause: HoldCause;
}

/** The condition of a notification that does not hold. */
export type Obstacle =
  | 'own_message'
  | 'not_a_recipient'
  | 'not_a_person'
  | 'deactivated'
  | 'silent'
  | 'read'
  | 'not_wanted';

/** Whether the phones of an account show a message now. */
export type Decision =
  | { readonly kind: 'show'; readonly trigger: Trigger }
  /** The account wants quiet. It is decided again at `until`, whether the account is active or not. */
  | ({ readonly kind: 'hold'; readonly trigger: Trigger } & Hold)
  /** The account is active. It is decided again at `until`, in UNIX seconds, or when the account leaves before. */
  | { readonly kind: 'wait'; readonly trigger: Trigger; readonly until: number }
  | { readonly kind: 'hide'; readonly obstacle: Obstacle };

/**
 * Decides whether the phones of an account show a message at `now`, in UNIX seconds. The statements of decision.sql.ts say the
 * same for many accounts at once; a test compares both.
 */
export function decide(facts: MessageFacts, now: number): Decision {
  const obstacle = obstacleOf(facts);
  if (obstacle !== null) return { kind: 'hide', obstacle };
  const trigger = triggerOf(facts);
  if (trigger === null) return { kind: 'hide', obstacle: 'not_wanted' };
  const hold = holdOf(facts, trigger, now);
  if (hold !== null) return { kind: 'hold', trigger, ...hold };
  if (facts.wishes.isPushedOnline || isAway(facts.activity, now)) return { kind: 'show', trigger };
  return { kind: 'wait', trigger, until: awayFrom(facts.activity, now) };
}

function obstacleOf(facts: MessageFacts): Obstacle | null {
  if (facts.isSender) return 'own_message';
  if (!facts.isRecipient) return 'not_a_recipient';
  if (!facts.isPerson) return 'not_a_person';
  if (!facts.isActive) return 'deactivated';
  if (facts.isSilent) return 'silent';
  return facts.isRead ? 'read' : null;
}

/** The first trigger that the account wants; null for none. */
export function triggerOf(facts: MessageFacts): Trigger | null {
  const { wishes, subscription, isInChannel } = facts;
  if (!isInChannel) return wishes.isPushEnabled ? 'direct' : null;
  if (subscription === null) return null;
  if (wishes.isPushEnabled && facts.isMentioned) {
    return facts.isMentionedViaGroup ? 'group_mention' : 'mention';
  }
  const visibility = facts.topicVisibility ?? topicVisibilities.none;
  const isFollowed = visibility === topicVisibilities.followed;
  const isMuted =
    visibility === topicVisibilities.none
      ? subscription.isMuted
      : visibility === topicVisibilities.muted;
  if (isMuted) return null;
  const isWildcardWanted =
    (subscription.wildcardMentions ?? wishes.isPushedWildcards) ||
    (isFollowed && wishes.isPushedFollowedWildcards);
  if (wishes.isPushEnabled && facts.isWildcardMentioned && isWildcardWanted) {
    return 'wildcard_mention';
  }
  const isWanted =
    (subscription.pushNotifications ?? wishes.isPushedChannels) ||
    (isFollowed && wishes.isPushedFollowedTopics);
  return isWanted ? 'channel' : null;
}

/** Why and until when a message with this trigger is held back: the latest end counts; null if it is not. */
export function holdOf(
  { quiet, sentAt }: Pick<MessageFacts, 'quiet' | 'sentAt'>,
  trigger: Trigger,
  now: number,
): Hold | null {
  const isException =
    quiet.exceptions.includes(trigger) || (quiet.exceptions.includes('vip') && quiet.isFromVip);
  const holds: readonly Hold[] = [
    { cause: 'snoozed', until: quiet.snoozedUntil },
    { cause: 'quiet_hours', until: isException ? 0 : (quiet.quietUntil ?? 0) },
    { cause: 'delayed', until: quiet.delaySeconds === 0 ? 0 : sentAt + quiet.delaySeconds },
  ];
  return holds
    .filter(({ until }) => until > now)
    .reduce<Hold | null>((last, hold) => (hold.until > (last?.until ?? 0) ? hold : last), null);
}

/** The triggers of messages that are meant for the account. It is reminded of no others. */
export const REMINDED_TRIGGERS: readonly Trigger[] = ['direct', 'mention', 'group_mention'];

/** After how many seconds an account that was notified of a message with this trigger is reminded of it; null for never. */
export const remindsAfter = (
  { reminderSeconds }: Pick<MessageFacts, 'reminderSeconds'>,
  trigger: Trigger,
): number | null =>
  reminderSeconds > 0 && REMINDED_TRIGGERS.includes(trigger) ? reminderSeconds : null;

/**
 * Whether an account is away from every screen: its activity is unknown or old, or its last event queue has ended since. A queue
 * that ends while another one is there says nothing.
 */
export function isAway(activity: Activity, now: number): boolean {
  const { activeAt, leftAt } = activity;
  if (activeAt === null || activeAt < now - IDLE_AFTER_SECONDS) return true;
  return hasLeft(activity) && (leftAt ?? 0) <= now - RELOAD_SECONDS;
}

/** When an account that is not away now will be, if nothing happens. */
function awayFrom(activity: Activity, now: number): number {
  const idleAt = (activity.activeAt ?? now) + IDLE_AFTER_SECONDS + 1;
  return hasLeft(activity) ? Math.min(idleAt, (activity.leftAt ?? now) + RELOAD_SECONDS) : idleAt;
}

const hasLeft = ({ activeAt, leftAt, hasQueue }: Activity): boolean =>
  activeAt !== null && leftAt !== null && leftAt >= activeAt && !hasQueue;
