import { topicVisibilities } from '#chat/user-topics';
import { hasMessageQueue } from '#events/queues';
import { IDLE_AFTER_SECONDS, RELOAD_SECONDS, REMINDED_TRIGGERS } from './decision.rules.js';

/*
 * SQL of the rules in decision.rules.ts, for statements that decide for many accounts at once. They read these aliases:
 * `account` (users), `received` (user_messages), `sent` (messages), `subscription` (subscriptions), `own` (user_topics),
 * `presence` (user_presence) and `deferral` (push_deferrals). All but the first three may be missing rows.
 */

/** SQL: the rows of `subscription` and `own` for an `account` and a message `sent` of a channel, as joins. */
export const wishesJoins = (channelId = 'sent.channel_id'): string => `
  LEFT JOIN subscriptions subscription
    ON subscription.channel_id = ${channelId} AND subscription.user_id = account.id
  LEFT JOIN user_topics own
    ON own.channel_id = sent.channel_id AND own.topic_key = lower(sent.topic)
      AND own.user_id = account.id`;

/** SQL: the rows of `presence` and `deferral` for an `account`, as joins. */
export const ACTIVITY_JOINS = `
  LEFT JOIN user_presence presence ON presence.user_id = account.id
  LEFT JOIN push_deferrals deferral ON deferral.user_id = account.id`;

/** SQL: a setting that is on unless the account has switched it off. */
export const isOn = (setting: string): string =>
  `coalesce((account.display_settings ->> '${setting}')::boolean, true)`;

/** SQL: whether the account and the message permit a notification at all, whatever the account wants. */
export const IS_NOTIFIABLE = `(
  account.is_active AND NOT account.is_bot AND sent.sender_id <> account.id AND NOT sent.is_silent
  AND NOT received.is_read AND NOT received.is_historical
)`;

/** SQL: the first trigger that an account wants, null for none. `isViaGroup` says whether a group mentions the account. */
export const triggerSql = (isViaGroup = 'false'): string => `CASE
  WHEN sent.channel_id IS NULL THEN CASE WHEN account.is_push_enabled THEN 'direct' END
  WHEN subscription.is_active IS NOT TRUE THEN NULL
  WHEN account.is_push_enabled AND received.is_mentioned
    THEN CASE WHEN ${isViaGroup} THEN 'group_mention' ELSE 'mention' END
  WHEN coalesce(own.visibility = ${topicVisibilities.muted}, subscription.is_muted) THEN NULL
  WHEN account.is_push_enabled AND received.is_wildcard_mentioned
    AND (coalesce(subscription.wildcard_mentions, account.is_pushed_wildcards)
      OR own.visibility = ${topicVisibilities.followed} AND ${isOn('enable_followed_topic_wildcard_mentions_notify')})
    THEN 'wildcard_mention'
  WHEN coalesce(subscription.push_notifications, account.is_pushed_channels)
    OR own.visibility = ${topicVisibilities.followed} AND ${isOn('enable_followed_topic_push_notifications')}
    THEN 'channel'
END`;

const NOW = 'extract(epoch FROM now())';
const LEFT_AT = 'extract(epoch FROM deferral.left_at)';
/**
 * Only for the few accounts whose queue has ended, PostgreSQL looks for another one: after false it evaluates no further
 * condition, but after null it does.
 */
const HAS_LEFT = `(coalesce(${LEFT_AT} >= presence.active_at, false) AND NOT ${hasMessageQueue('account.id')})`;

/** SQL: whether an account is away from every screen, or wants notifications even at one. */
export const IS_AWAY = `(
  account.is_pushed_online OR presence.active_at IS NULL
  OR presence.active_at < ${NOW} - ${IDLE_AFTER_SECONDS}
  OR coalesce(${LEFT_AT} <= ${NOW} - ${RELOAD_SECONDS} AND ${HAS_LEFT}, false)
)`;

/** SQL: when an account that is not away will be, if nothing happens. */
export const AWAY_FROM = `to_timestamp(least(
  presence.active_at + ${IDLE_AFTER_SECONDS + 1},
  CASE WHEN ${HAS_LEFT} THEN ${LEFT_AT} + ${RELOAD_SECONDS} END
))`;

/** SQL: the QuietSettings of an `account` for a message `sent`. */
export const QUIET_SETTINGS = `jsonb_build_object(
  'snoozedUntil', account.push_snoozed_until,
  'quietUntil', (
    SELECT extract(epoch FROM upper(time)) FROM unnest(account.push_quiet_times) AS time WHERE time @> now()
  ),
  'exceptions', coalesce(account.display_settings -> 'push_quiet_hours_exceptions', '[]'),
  'isFromVip', coalesce(account.display_settings -> 'push_vip_user_ids' @> to_jsonb(sent.sender_id), false),
  'delaySeconds', account.push_delay_seconds
)`;

/**
 * SQL: whether an account may hold messages back now. At most times it does not, and the sending of a message must not cost more:
 * the search for a time in all of them is cheap, the list of them is not.
 */
const MAY_HOLD = `(
  account.push_snoozed_until <> 0 OR account.push_delay_seconds <> 0
  OR coalesce(account.push_quiet_times @> now(), false)
)`;

const SNOOZED_UNTIL = `CASE WHEN account.push_snoozed_until > ${NOW} THEN to_timestamp(account.push_snoozed_until) END`;

// Without a delay a time that is rounded up to milliseconds must not hold a message.
const DELAYED_UNTIL = `CASE
  WHEN account.push_delay_seconds > 0 AND sent.sent_at + make_interval(secs => account.push_delay_seconds) > now()
    THEN sent.sent_at + make_interval(secs => account.push_delay_seconds)
END`;

const exceptions = "account.display_settings -> 'push_quiet_hours_exceptions'";

/** SQL: the end of the quiet time of now, if it holds for a message with this trigger. */
const quietUntil = (trigger: string): string => `CASE
  WHEN ${exceptions} ? ${trigger} THEN NULL
  WHEN ${exceptions} ? 'vip' AND account.display_settings -> 'push_vip_user_ids' @> to_jsonb(sent.sender_id)
    THEN NULL
  ELSE (SELECT upper(time) FROM unnest(account.push_quiet_times) AS time WHERE time @> now())
END`;

/**
 * SQL: why and until when an account holds a message with this trigger back, as `{"until": seconds, "cause": text}`; null if it
 * does not. The latest end counts, and of equal ones the first cause.
 */
export const holdSql = (trigger: string): string => `CASE WHEN ${MAY_HOLD} THEN (
  SELECT jsonb_build_object('until', extract(epoch FROM hold.until), 'cause', hold.cause)
  FROM (VALUES
    (1, 'snoozed', ${SNOOZED_UNTIL}),
    (2, 'quiet_hours', ${quietUntil(trigger)}),
    (3, 'delayed', ${DELAYED_UNTIL})
  ) AS hold (place, cause, until)
  WHERE hold.until IS NOT NULL
  ORDER BY hold.until DESC, hold.place LIMIT 1
) END`;

/** SQL: whether a trigger is one of a message that accounts may be reminded of. */
export const isReminded = (trigger: string): string =>
  `${trigger} IN (${REMINDED_TRIGGERS.map((one) => `'${one}'`).join(', ')})`;

/** SQL: after how many seconds an account is reminded of a message with this trigger; null for never, as most accounts want. */
export const remindsAfterSql = (trigger: string): string =>
  `CASE WHEN account.push_reminder_seconds > 0 AND ${isReminded(trigger)} THEN account.push_reminder_seconds END`;

/**
 * SQL: when a message that is held back until `until`, in seconds, is decided again. Quiet times of many people end at the same
 * full hour: they are spread over two minutes. Google asks senders to keep away from the first minutes of each quarter of an hour.
 */
export const dueOfHold = (until: string, cause: string, userId = 'user_id'): string => `(
  to_timestamp(${until}) + CASE WHEN ${cause} = 'delayed' THEN interval '0 s'
    ELSE make_interval(secs => 120 + (${userId}::bigint * 7919) % 120) END
)`;
