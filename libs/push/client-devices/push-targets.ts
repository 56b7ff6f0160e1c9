const CLIENT_DEVICES = `
  SELECT id, user_id, key_generation, platform, NULL AS token,
    left(encode(push_token_id, 'hex'), 12) AS fingerprint, true AS is_encrypted
  FROM client_devices WHERE push_token_id IS NOT NULL`;

/**
 * SQL: the same on a server that relays. Its push service sends a notification in plain text to all phones of the account, so
 * they are one target: the negative id of the account.
 */
export const RELAY_TARGETS = `(
  SELECT -device.user_id AS id, device.user_id, device.key_generation, device.platform,
    NULL AS token, NULL AS fingerprint, false AS is_encrypted
  FROM push_devices device
  WHERE NOT EXISTS (
    SELECT FROM push_devices other
    WHERE other.user_id = device.user_id AND other.key_generation = device.key_generation
      AND (other.platform, other.id) > (device.platform, device.id)
  )
  UNION ALL ${CLIENT_DEVICES}
)`;

/**
 * SQL: everything that notifications can be sent to, as a table: phones with a token of their own account, and client devices
 * with a token at the push service. Their ids are of one sequence. A token id begins the digest of its token, so both
 * fingerprints are the same for the same token. Other capabilities of push join these rows
 * in their own statements. It is a text and not a view, so that it changes without a migration.
 */
export const PUSH_TARGETS = `(
  SELECT id, user_id, key_generation, platform, token,
    left(encode(token_digest, 'hex'), 12) AS fingerprint, false AS is_encrypted
  FROM push_devices
  UNION ALL ${CLIENT_DEVICES}
)`;
