import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';
import { IS_READABLE, JOINED_CHANNEL } from '../reading/readable-messages.js';
import { ReadMessagesRepository } from './read-messages.repository.js';

/** A flag that users set also on messages that were not sent to them. */
export type AddedFlag = 'starred' | 'collapsed';

/** A flag that users set. */
export type OwnFlag = AddedFlag | 'read';

/** A change of one flag of some messages. */
export interface FlagChange {
  readonly flag: OwnFlag;
  /** True to set the flag, false to remove it. */
  readonly isSet: boolean;
  readonly messageIds: readonly number[];
}

/** An account that may read messages which were not sent to it. */
interface Reader {
  readonly userId: number;
  readonly realmId: number;
  readonly groups: ReadonlySet<number>;
}

/** A message to mark as unread. */
interface HeldMessage {
  readonly id: number;
  /** The channel of the message if the account is not subscribed to it: the message stays read. Else null. */
  readonly ignoredIn: number | null;
}

// Locks the rows in the order of the messages, as all statements that change several rows of an account do.
const changeOf = (column: string): string => `
  WITH held AS (
    SELECT um.message_id, um.${column} AS was_set FROM user_messages um
    WHERE um.user_id = $1 AND um.message_id = ANY($2::bigint[])
    ORDER BY um.message_id
    FOR NO KEY UPDATE
  ),
  changed AS (
    UPDATE user_messages SET ${column} = $3 FROM held
    WHERE user_messages.user_id = $1 AND user_messages.message_id = held.message_id
      AND held.was_set <> $3
  )
  SELECT message_id::bigint AS id FROM held ORDER BY message_id`;

// A message that arrives at the same moment has a row of its own, which gets the flag.
const additionOf = (column: string): string => `
  INSERT INTO user_messages (user_id, message_id, is_read, is_historical, ${column})
  SELECT reader.id, m.id, true, true, true
  FROM messages m JOIN users reader ON reader.id = $1 ${JOINED_CHANNEL}
  WHERE m.id = ANY($4::bigint[]) AND m.realm_id = $3 AND ${IS_READABLE}
  ORDER BY m.id
  ON CONFLICT (user_id, message_id) DO UPDATE SET ${column} = true
  RETURNING message_id::bigint AS id`;

const CHANGES = { starred: changeOf('is_starred'), collapsed: changeOf('is_collapsed') } as const;
const ADDITIONS = {
  starred: additionOf('is_starred'),
  collapsed: additionOf('is_collapsed'),
} as const;

const MARK_UNREAD = `
  WITH held AS (
    SELECT um.message_id, um.is_read, CASE WHEN s.user_id IS NULL THEN m.channel_id END AS ignored_in
    FROM user_messages um
    JOIN messages m ON m.id = um.message_id
    LEFT JOIN subscriptions s
      ON s.channel_id = m.channel_id AND s.user_id = um.user_id AND s.is_active
    WHERE um.user_id = $1 AND um.message_id = ANY($2::bigint[])
    ORDER BY um.message_id
    FOR NO KEY UPDATE OF um
  ),
  changed AS (
    UPDATE user_messages SET is_read = false FROM held
    WHERE user_messages.user_id = $1 AND user_messages.message_id = held.message_id
      AND held.is_read AND held.ignored_in IS NULL
  )
  SELECT message_id::bigint AS id, ignored_in AS "ignoredIn" FROM held ORDER BY message_id`;

const CHANNELS_WITHOUT_SUBSCRIPTION = `
  SELECT DISTINCT c.id FROM messages m JOIN users reader ON reader.id = $1 ${JOINED_CHANNEL}
  WHERE m.id = ANY($4::bigint[]) AND m.realm_id = $3 AND s.user_id IS NULL AND c.id IS NOT NULL
    AND ${IS_READABLE}`;

/** Changes the flags of messages. */
@Injectable()
export class MessageFlagRepository {
  constructor(
    private readonly database: Database,
    private readonly readMessages: ReadMessagesRepository,
  ) {}

  /** Resolves with the ids of the messages that have a row of the account, in ascending order. */
  async change(
    userId: number,
    { flag, isSet, messageIds }: FlagChange & { readonly flag: AddedFlag },
    session: Session = this.database,
  ): Promise<number[]> {
    const values = [userId, messageIds, isSet];
    return idsOf(await session.query<{ id: number }>(`flag_${flag}`, CHANGES[flag], values));
  }

  /** Sets a flag on messages without a row of the account. Resolves with the ids of those that it may read. */
  async addHistorical(
    reader: Reader,
    flag: AddedFlag,
    messageIds: readonly number[],
    session: Session = this.database,
  ): Promise<number[]> {
    const name = `add_${flag}`;
    const values = valuesOf(reader, messageIds);
    return idsOf(await session.query<{ id: number }>(name, ADDITIONS[flag], values));
  }

  /** Resolves with the ids of the messages that have a row of the account, in ascending order. */
  async markRead(
    userId: number,
    messageIds: readonly number[],
    session: Session = this.database,
  ): Promise<number[]> {
    return this.readMessages.markNamed(userId, messageIds, session);
  }

  /** Resolves with the messages that have a row of the account, in ascending order. */
  async markUnread(
    userId: number,
    messageIds: readonly number[],
    session: Session = this.database,
  ): Promise<HeldMessage[]> {
    return session.query<HeldMessage>('mark_unread', MARK_UNREAD, [userId, messageIds]);
  }

  /** The channels of messages that the account may read without a subscription. */
  async channelsWithoutSubscription(
    reader: Reader,
    messageIds: readonly number[],
    session: Session = this.database,
  ): Promise<number[]> {
    const name = 'channels_without_subscription';
    const values = valuesOf(reader, messageIds);
    return idsOf(await session.query<{ id: number }>(name, CHANNELS_WITHOUT_SUBSCRIPTION, values));
  }
}

const valuesOf = ({ userId, realmId, groups }: Reader, messageIds: readonly number[]) => [
  userId,
  [...groups],
  realmId,
  messageIds,
];

const idsOf = (rows: readonly { readonly id: number }[]): number[] => rows.map(({ id }) => id);
