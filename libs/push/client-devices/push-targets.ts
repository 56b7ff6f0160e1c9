/**
 * SQL: everything that notifications can be sent to, as a table: phones with a token of their own account, and client devices
 * with a token at the push service. Their ids are of one sequence. A token id begins the digest of its token, so both
 * fingerprints are the same for the same token.
 */
export const PUSH_TARGETS = `(
  SELECT id, user_id, key_generation, platform, token,
    left(encode(token_digest, 'hex'), 12) AS fingerprint, false AS is_encrypted
  FROM push_devices
  UNION ALL
  SELECT id, user_id, key_generation, platform, NULL,
    left(encode(push_token_id, 'hex'), 12), true
  FROM client_devices WHERE push_token_id IS NOT NULL
)`;
