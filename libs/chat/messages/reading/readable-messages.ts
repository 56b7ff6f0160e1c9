import { roles } from '#platform/contracts';

/**
 * SQL: the rules of MessageAccess for any number of messages. `JOINED_CHANNEL` joins the channel of a message `m`, and
 * the subscription of an account `reader`, to a statement that has both. `IS_READABLE` is then the condition; the
 * parameter $2 is the groups of the account. A row that only stores flags does not make a message received.
 */
export const JOINED_CHANNEL = `
  LEFT JOIN channels c ON c.id = m.channel_id
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = reader.id AND s.is_active`;

export const IS_READABLE = `
  CASE
    WHEN c.id IS NULL THEN EXISTS (
      SELECT 1 FROM direct_conversation_members member
      WHERE member.conversation_id = m.conversation_id AND member.user_id = reader.id
    )
    ELSE (
      s.user_id IS NOT NULL OR c.is_web_public OR reader.role < ${roles.guest} AND (
        NOT c.is_private OR c.can_add_subscribers_id = ANY($2::int[]) OR c.can_subscribe_id = ANY($2::int[])
      )
    ) AND (
      coalesce(c.is_history_public, NOT c.is_private)
      OR EXISTS (
        SELECT 1 FROM user_messages um
        WHERE um.user_id = reader.id AND um.message_id = m.id AND NOT um.is_historical
      )
    )
  END`;
