/**
 * SQL: all phones, client devices and subscriptions of Web Push as one table. PostgreSQL looks up an account in the tables by index
 * only if no part of the union has a condition. `is_encrypted` is null for a subscription: it is neither a phone that gets plain
 * text nor a client device.
 */
const ALL_DEVICES = `(
    SELECT id, user_id, key_generation, platform, token,
      left(encode(token_digest, 'hex'), 12) AS fingerprint, false AS is_encrypted, true AS has_token,
      true AS takes_removals
    FROM push_devices
    UNION ALL
    SELECT id, user_id, key_generation, platform, NULL AS token,
      left(encode(push_token_id, 'hex'), 12) AS fingerprint, true AS is_encrypted,
      push_token_id IS NOT NULL AS has_token, true AS takes_removals
    FROM client_devices
    UNION ALL
    SELECT id, user_id, key_generation, 'web' AS platform, NULL AS token,
      left(encode(endpoint_digest, 'hex'), 12) AS fingerprint, NULL AS is_encrypted,
      state = 'active' AS has_token, kind <> 'browser' AS takes_removals
    FROM web_push_subscriptions
  )`;

/**
 * SQL: everything that notifications can be sent to, as a table: phones with a token of their own account, client devices
 * with a token at the push service, and confirmed subscriptions of Web Push. Their ids are of one sequence. A browser takes no
 * removals: browsers punish pushes that show nothing. An Android phone takes no reminders: its app would show the text twice. A
 * token id begins the digest of its token, so both
 * fingerprints are the same for the same token. Other capabilities of push join these rows
 * in their own statements. It is a text and not a view, so that it changes without a migration.
 */
export const PUSH_TARGETS = `(
  SELECT id, user_id, key_generation, platform, token, fingerprint, is_encrypted, takes_removals,
    platform <> 'fcm' AS takes_reminders
  FROM ${ALL_DEVICES} AS device
  WHERE has_token
)`;

/**
 * SQL: the same on a server that relays. Its push service sends a notification in plain text to all phones of the account, so
 * they are one target: the negative id of the account. This server sends Web Push itself. A push service shows no push in the place
 * of an earlier one, so that its phones take no reminders.
 */
export const RELAY_TARGETS = `(
  SELECT CASE WHEN is_encrypted IS FALSE THEN -user_id ELSE id END AS id, user_id, key_generation,
    platform, NULL AS token, CASE WHEN is_encrypted IS NOT FALSE THEN fingerprint END AS fingerprint,
    is_encrypted, takes_removals, platform = 'web' AS takes_reminders
  FROM ${ALL_DEVICES} AS device
  WHERE has_token AND (
    is_encrypted IS NOT FALSE
    OR NOT EXISTS (
      SELECT FROM push_devices other
      WHERE other.user_id = device.user_id AND other.key_generation = device.key_generation
        AND (other.platform, other.id) > (device.platform, device.id)
    )
  )
)`;

/** DI token: that of the two that this server notifies. */
export const NOTIFICATION_TARGETS = Symbol('NotificationTargets');
