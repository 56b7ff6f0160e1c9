import { roles } from '#directory/roles';

/** SQL: joins the channel of a message `m`, and the active subscription of the account to it. */
export const channelJoins = (userId: string): string => `
  LEFT JOIN channels c ON c.id = m.channel_id
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = ${userId} AND s.is_active`;

/** SQL expressions for an account. */
export interface SqlReader {
  readonly userId: string;
  readonly role: string;
  /** The groups of the account. */
  readonly groups: string;
}

/** SQL: whether an account may read the messages of a channel `c` with its subscription `s`. */
export const hasChannelContent = ({ role, groups }: SqlReader): string => `
  (s.user_id IS NOT NULL OR c.is_web_public OR ${role} < ${roles.guest} AND (
    NOT c.is_private OR c.can_add_subscribers_id = ANY(${groups}) OR c.can_subscribe_id = ANY(${groups})
  ))`;

/** SQL: whether the readers of a channel `c` may read messages that they have not received. */
export const IS_HISTORY_SHARED = 'coalesce(c.is_history_public, NOT c.is_private)';

/**
 * SQL: whether a subscriber of the channel `c` of a message, or a member of its conversation, may read the message.
 * `isHistorical` is the column of the row of the account: such a row only stores flags.
 */
export const isShownToSubscriber = (isHistorical: string): string =>
  `(c.id IS NULL OR ${IS_HISTORY_SHARED} OR NOT ${isHistorical})`;

/**
 * SQL: the rules of MessageAccess for a message `m` with `channelJoins`. `isReceived` is the condition that the message
 * was sent to the account: a row that only stores flags does not make a message received.
 */
export const isReadableBy = (reader: SqlReader, isReceived: string): string => `
  CASE
    WHEN c.id IS NULL THEN EXISTS (
      SELECT 1 FROM direct_conversation_members member
      WHERE member.conversation_id = m.conversation_id AND member.user_id = ${reader.userId}
    )
    ELSE ${hasChannelContent(reader)} AND (${IS_HISTORY_SHARED} OR ${isReceived})
  END`;

/**
 * SQL: the same for statements that have an account `reader`, and its groups as the parameter $2.
 */
export const JOINED_CHANNEL = channelJoins('reader.id');

export const IS_READABLE = isReadableBy(
  { userId: 'reader.id', role: 'reader.role', groups: '$2::int[]' },
  `EXISTS (
    SELECT 1 FROM user_messages um
    WHERE um.user_id = reader.id AND um.message_id = m.id AND NOT um.is_historical
  )`,
);
