import { topicVisibilities } from '#chat/user-topics';
import { hasMessageQueue } from '#events/queues';
import { IDLE_AFTER_SECONDS, RELOAD_SECONDS } from './decision.rules.js';

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
