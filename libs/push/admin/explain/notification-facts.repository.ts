import { Injectable } from '@nestjs/common';
import { topicVisibilities } from '#chat/user-topics';
import { Database } from '#platform/database';
import { PUSH_TARGETS } from '#push/client-devices';
import { notificationTrigger } from '#push/notifications';

/** The stored facts that decide whether a message is notified to an account. */
export interface NotificationFacts {
  readonly sentAt: Date;
  readonly isSender: boolean;
  /** The message was delivered to the account. */
  readonly isRecipient: boolean;
  readonly isPerson: boolean;
  readonly isActive: boolean;
  readonly hasMutedSender: boolean;
  readonly isRead: boolean;
  /** Null: the account does not want to be notified of it. */
  readonly trigger: string | null;
  readonly isInChannel: boolean;
  readonly isMuted: boolean;
  /** Phones that were registered with the present API key. */
  readonly devices: number;
  /** Phones that were registered with an earlier API key. */
  readonly oldDevices: number;
  /** Wants notifications also while it is active. */
  readonly isPushedOnline: boolean;
  /** A worker has yet to reach the account among the recipients of the message. */
  readonly isWaiting: boolean;
  /** The last activity; null: unknown. */
  readonly activeAt: Date | null;
}

const FACTS = `
  SELECT sent.sent_at AS "sentAt", sent.sender_id = account.id AS "isSender",
    received.user_id IS NOT NULL AND NOT received.is_historical AS "isRecipient",
    NOT account.is_bot AS "isPerson", account.is_active AS "isActive",
    EXISTS (
      SELECT FROM muted_users WHERE user_id = account.id AND muted_user_id = sent.sender_id
    ) AS "hasMutedSender",
    coalesce(received.is_read, false) AS "isRead",
    ${notificationTrigger('sent.channel_id', `'{}'::jsonb`)} AS trigger,
    sent.channel_id IS NOT NULL AS "isInChannel",
    coalesce(own.visibility = ${topicVisibilities.muted}, subscription.is_muted, false) AS "isMuted",
    EXISTS (
      SELECT FROM push_fan_outs WHERE message_id = sent.id AND after_user_id < account.id
    ) AS "isWaiting",
    phones.devices, phones.old_devices AS "oldDevices",
    account.is_pushed_online AS "isPushedOnline", to_timestamp(presence.active_at) AS "activeAt"
  FROM messages sent
  JOIN users account ON account.id = $2 AND account.realm_id = sent.realm_id
  LEFT JOIN user_messages received
    ON received.message_id = sent.id AND received.user_id = account.id
  LEFT JOIN user_presence presence ON presence.user_id = account.id
  LEFT JOIN subscriptions subscription
    ON subscription.channel_id = sent.channel_id AND subscription.user_id = account.id
  LEFT JOIN user_topics own
    ON own.channel_id = sent.channel_id AND own.topic_key = lower(sent.topic)
      AND own.user_id = account.id
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
