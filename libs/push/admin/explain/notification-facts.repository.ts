import { Injectable } from '@nestjs/common';
import { hasMessageQueue } from '#events/queues';
import { Database } from '#platform/database';
import { PUSH_TARGETS } from '#push/devices';
import { isOn, type MessageFacts, QUIET_SETTINGS, wishesJoins } from '#push/notifications';

/** The stored facts that decide whether a message is notified to an account. */
export interface NotificationFacts extends MessageFacts {
  readonly hasMutedSender: boolean;
  /** Phones that were registered with the present API key. */
  readonly devices: number;
  /** Phones that were registered with an earlier API key. */
  readonly oldDevices: number;
  /** A worker has yet to reach the account among the recipients of the message. */
  readonly isWaiting: boolean;
  /** The message is decided again when the account has left. */
  readonly isDeferred: boolean;
  /** The message is decided again at the end of a quiet time, a snooze or a delay. */
  readonly isHeld: boolean;
  /** Whether the message counts as shown by the phones of the account. */
  readonly isPushed: boolean;
  /** The reminders of the message that were sent, and when the next one is due, in UNIX seconds; null if none is due. */
  readonly reminder: { readonly sent: number; readonly dueAt: number } | null;
  /** The clock of PostgreSQL, in UNIX seconds. */
  readonly now: number;
}

const seconds = (time: string): string => `floor(extract(epoch FROM ${time}))::float8`;

const FACTS = `
  SELECT sent.sender_id = account.id AS "isSender",
    received.user_id IS NOT NULL AND NOT received.is_historical AS "isRecipient",
    NOT account.is_bot AS "isPerson", account.is_active AS "isActive", sent.is_silent AS "isSilent",
    coalesce(received.is_read, false) AS "isRead",
    sent.channel_id IS NOT NULL AS "isInChannel",
    coalesce(received.is_mentioned, false) AS "isMentioned", false AS "isMentionedViaGroup",
    coalesce(received.is_wildcard_mentioned, false) AS "isWildcardMentioned",
    jsonb_build_object(
      'isPushEnabled', account.is_push_enabled, 'isPushedChannels', account.is_pushed_channels,
      'isPushedWildcards', account.is_pushed_wildcards, 'isPushedOnline', account.is_pushed_online,
      'isPushedFollowedTopics', ${isOn('enable_followed_topic_push_notifications')},
      'isPushedFollowedWildcards', ${isOn('enable_followed_topic_wildcard_mentions_notify')}
    ) AS wishes,
    CASE WHEN subscription.is_active THEN jsonb_build_object(
      'isMuted', subscription.is_muted, 'pushNotifications', subscription.push_notifications,
      'wildcardMentions', subscription.wildcard_mentions
    ) END AS subscription,
    own.visibility::int AS "topicVisibility",
    jsonb_build_object(
      'activeAt', presence.active_at, 'leftAt', ${seconds('deferral.left_at')},
      'hasQueue', ${hasMessageQueue('account.id')}
    ) AS activity,
    ${QUIET_SETTINGS} AS quiet, ${seconds('sent.sent_at')} AS "sentAt",
    account.push_reminder_seconds AS "reminderSeconds",
    (
      SELECT jsonb_build_object('sent', reminder.sent, 'dueAt', ${seconds('reminder.due_at')})
      FROM push_reminders reminder
      WHERE reminder.user_id = account.id AND reminder.message_id = sent.id
    ) AS reminder,
    coalesce(received.is_pushed, false) AS "isPushed",
    EXISTS (
      SELECT FROM muted_users WHERE user_id = account.id AND muted_user_id = sent.sender_id
    ) AS "hasMutedSender",
    EXISTS (
      SELECT FROM push_fan_outs WHERE message_id = sent.id AND after_user_id < account.id
    ) AS "isWaiting",
    coalesce(deferral.from_message_id <= sent.id, false) AS "isDeferred",
    coalesce(deferral.held_from_message_id <= sent.id, false) AS "isHeld",
    phones.devices, phones.old_devices AS "oldDevices", ${seconds('now()')} AS now
  FROM messages sent
  JOIN users account ON account.id = $2 AND account.realm_id = sent.realm_id
  LEFT JOIN user_messages received
    ON received.message_id = sent.id AND received.user_id = account.id
  LEFT JOIN user_presence presence ON presence.user_id = account.id
  LEFT JOIN push_deferrals deferral ON deferral.user_id = account.id
  ${wishesJoins()}
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE device.key_generation = account.key_generation)::int AS devices,
      count(*) FILTER (WHERE device.key_generation <> account.key_generation)::int AS old_devices
    FROM ${PUSH_TARGETS} device WHERE device.user_id = account.id
  ) AS phones
  WHERE sent.id = $1`;

/** Reads the facts that decide about the notification of a message, for operators. */
@Injectable()
export class NotificationFactsRepository {
  constructor(private readonly database: Database) {}

  /** Null if the organisation of the account has no such message, or no longer. */
  async read(messageId: number, userId: number): Promise<NotificationFacts | null> {
    const values = [messageId, userId];
    const [row] = await this.database.query<NotificationFacts>('notification_facts', FACTS, values);
    return row ?? null;
  }
}
