import { Inject, Injectable } from '@nestjs/common';
import { Database, type Session, type Transaction } from '#platform/database';
import { MESSAGE_NOTIFIER, type MessageNotifier } from '../message-notifier.js';
import { lockSender } from '../sending/sender-lock.js';

/** The messages of one channel or of one sender. Both bounds are message ids. */
export interface MessageRange {
  readonly of: { readonly channelId: number } | { readonly senderId: number };
  /** Exclusive; from the first message when left out. */
  readonly after?: number;
  /** Inclusive; to the last message when left out. */
  readonly upTo?: number;
}

/** The number of unread messages that one statement reads. */
const SLICE = 5000;

const ALWAYS = 'true';
const NOTHING_ON_SCREENS = 'NOT EXISTS (SELECT 1 FROM held WHERE is_pushed)';

// All statements that change several rows of an account lock them in the order of the messages: different orders could
// deadlock. Only an unread message can be on a screen.
const HELD = 'SELECT um.message_id, um.is_read, um.is_pushed';
const LOCKED = 'ORDER BY um.message_id FOR NO KEY UPDATE OF um';

const readHeld = (condition: string): string => `
  UPDATE user_messages SET is_read = true, is_pushed = false FROM held
  WHERE user_messages.user_id = $1 AND user_messages.message_id = held.message_id
    AND (NOT held.is_read OR held.is_pushed) AND ${condition}`;

const readNamed = (condition: string): string => `
  WITH held AS (
    ${HELD} FROM user_messages um
    WHERE um.user_id = $1 AND um.message_id = ANY($2::bigint[]) ${LOCKED}
  ),
  read AS (${readHeld(condition)})
  SELECT message_id::bigint AS id, is_pushed AS "isOnScreen" FROM held ORDER BY message_id`;

// Reads a slice of all unread messages of the account, so that the work is bounded even if few of them are in the range.
const readSlice = (column: string, condition: string): string => `
  WITH walked AS MATERIALIZED (
    SELECT message_id FROM user_messages
    WHERE user_id = $1 AND NOT is_read AND message_id > $3::bigint AND message_id <= $4::bigint
    ORDER BY message_id LIMIT $5
  ),
  held AS (
    ${HELD} FROM walked
    JOIN messages m ON m.id = walked.message_id AND m.${column} = $2
    JOIN user_messages um ON um.user_id = $1 AND um.message_id = walked.message_id
    WHERE NOT um.is_read ${LOCKED}
  ),
  read AS (${readHeld(condition)})
  SELECT max(message_id)::bigint AS last, count(*) = $5 AS "isFull",
    (SELECT coalesce(jsonb_agg(message_id ORDER BY message_id), '[]') FROM held WHERE is_pushed) AS "onScreen"
  FROM walked`;

const LOCK_SENDER = `SELECT ${lockSender('$1')}::text`;

// With the lock granted, every message up to the newest one that the statement sees is committed.
const SELECT_NEWEST = `
  SELECT ${lockSender('$1')}::text,
    coalesce((SELECT max(id) FROM messages WHERE sender_id = $1), 0)::bigint AS newest`;

interface NamedRow {
  readonly id: number;
  readonly isOnScreen: boolean;
}

interface SliceRow {
  readonly last: number | null;
  readonly isFull: boolean;
  readonly onScreen: readonly number[];
}

/** Marks messages of an account as read, and removes their notifications from phones. */
@Injectable()
export class ReadMessagesRepository {
  constructor(
    private readonly database: Database,
    @Inject(MESSAGE_NOTIFIER) private readonly notifier: MessageNotifier,
  ) {}

  /**
   * Marks some messages. Resolves with the ids of those that the account has received, in ascending order. Takes one
   * statement if none of them is on a screen; otherwise that statement changes nothing, and a transaction repeats it.
   */
  async markNamed(
    userId: number,
    messageIds: readonly number[],
    session: Session = this.database,
  ): Promise<number[]> {
    const values = [userId, messageIds];
    const rows = await session.query<NamedRow>(
      'read_messages',
      readNamed(NOTHING_ON_SCREENS),
      values,
    );
    if (rows.some(({ isOnScreen }) => isOnScreen)) {
      await session.transaction(async (transaction) => {
        const name = 'read_messages_on_screens';
        const held = await transaction.query<NamedRow>(name, readNamed(ALWAYS), values);
        const onScreen = held.filter(({ isOnScreen }) => isOnScreen).map(({ id }) => id);
        await this.#takeBack(transaction, userId, onScreen);
      });
    }
    return rows.map(({ id }) => id);
  }

  /**
   * Marks all unread messages of a range, in slices, so that each statement is short. Each slice is committed, except in
   * a transaction of the caller. After a failure the committed slices stay marked, and a repetition continues behind them.
   */
  async markRange(
    userId: number,
    range: MessageRange,
    session: Session = this.database,
  ): Promise<void> {
    let next: MessageRange | null = range;
    while (next !== null) {
      const current: MessageRange = next;
      let slice = await readInto(session, userId, current, NOTHING_ON_SCREENS);
      if (slice.onScreen.length > 0) {
        await session.transaction(async (transaction) => {
          slice = await readInto(transaction, userId, current, ALWAYS);
          await this.#takeBack(transaction, userId, slice.onScreen);
        });
      }
      next = behind(current, slice);
    }
  }

  /** Waits for the messages of a sender that are being stored, and resolves with the id of the newest; 0 without any. */
  async newestFrom(senderId: number, session: Session = this.database): Promise<number> {
    const name = 'newest_from_sender';
    const [row] = await session.query<{ newest: number }>(name, SELECT_NEWEST, [senderId]);
    return row?.newest ?? 0;
  }

  /** Waits for the messages of a sender that are being stored, and delays new ones until the end of the transaction. */
  async lockSender(transaction: Transaction, senderId: number): Promise<void> {
    await transaction.query('lock_sender', LOCK_SENDER, [senderId]);
  }

  /** Marks a small range in one transaction. */
  async markRangeWithin(
    transaction: Transaction,
    userId: number,
    range: MessageRange,
  ): Promise<void> {
    const onScreen: number[] = [];
    let next: MessageRange | null = range;
    while (next !== null) {
      const slice = await readInto(transaction, userId, next, ALWAYS);
      for (const id of slice.onScreen) onScreen.push(id);
      next = behind(next, slice);
    }
    await this.#takeBack(transaction, userId, onScreen);
  }

  async #takeBack(transaction: Transaction, userId: number, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const read = ids.map((messageId) => ({ userId, messageId }));
    transaction.afterCommit(await this.notifier.read(transaction, read));
  }
}

async function readInto(
  session: Session,
  userId: number,
  { of, after = 0, upTo = Number.MAX_SAFE_INTEGER }: MessageRange,
  condition: typeof ALWAYS | typeof NOTHING_ON_SCREENS,
): Promise<SliceRow> {
  const [column, id] =
    'channelId' in of ? ['channel_id', of.channelId] : ['sender_id', of.senderId];
  const name = `read_slice_by_${column}${condition === ALWAYS ? '_on_screens' : ''}`;
  const values = [userId, id, after, upTo, SLICE];
  const [row] = await session.query<SliceRow>(name, readSlice(column, condition), values);
  return row ?? { last: null, isFull: false, onScreen: [] };
}

const behind = (range: MessageRange, { last, isFull }: SliceRow): MessageRange | null =>
  isFull && last !== null ? { ...range, after: last } : null;
