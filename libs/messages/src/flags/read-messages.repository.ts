import { Inject, Injectable } from '@nestjs/common';
import { Database, type Session } from '#database';
import { MESSAGE_NOTIFIER, type MessageNotifier } from '../notify/message-notifier.js';

/** The messages of one channel or of one sender. Both bounds are message ids. */
export interface MessageRange {
  readonly of: { readonly channelId: number } | { readonly senderId: number };
  /** Exclusive; from the first message when left out. */
  readonly after?: number;
  /** Inclusive; to the last message when left out. */
  readonly upTo?: number;
}

/** How many unread messages one statement looks at. */
const SLICE = 5000;

const ALWAYS = 'true';
const NOTHING_ON_SCREENS = 'NOT EXISTS (SELECT 1 FROM held WHERE is_pushed)';

// Every statement that changes several rows of an account locks them in the order of their messages: two statements
// with different orders would wait for each other. Only an unread message can be on a screen.
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

// Walks over the unread messages of the account, so that the work is bounded even if few of them are of the range.
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

interface NamedRow {
  readonly id: number;
  readonly isOnScreen: boolean;
}

interface SliceRow {
  readonly last: number | null;
  readonly isFull: boolean;
  readonly onScreen: readonly number[];
}

type Begin = () => void;

/** Marks messages of an account as read, and takes their notifications from the screens of phones. */
@Injectable()
export class ReadMessagesRepository {
  constructor(
    private readonly database: Database,
    @Inject(MESSAGE_NOTIFIER) private readonly notifier: MessageNotifier,
  ) {}

  /**
   * Marks some messages. Resolves with those of the ids that were sent to the account, in ascending order. One
   * statement where none of them is on a screen; otherwise that statement changes nothing, and a transaction does it
   * all.
   */
  async markNamed(userId: number, messageIds: readonly number[]): Promise<number[]> {
    const values = [userId, messageIds];
    const rows = await this.database.query<NamedRow>(
      'read_messages',
      readNamed(NOTHING_ON_SCREENS),
      values,
    );
    if (rows.some(({ isOnScreen }) => isOnScreen)) {
      const begin = await this.database.transaction(async (session) => {
        const name = 'read_messages_on_screens';
        const held = await session.query<NamedRow>(name, readNamed(ALWAYS), values);
        const onScreen = held.filter(({ isOnScreen }) => isOnScreen).map(({ id }) => id);
        return this.#takeBack(session, userId, onScreen);
      });
      begin();
    }
    return rows.map(({ id }) => id);
  }

  /**
   * Marks all unread messages of a range, in slices that are committed one by one: however many there are, no
   * statement is long. After a failure the slices that were done stay done, and a repetition goes on behind them.
   */
  async markRange(userId: number, range: MessageRange): Promise<void> {
    let next: MessageRange | null = range;
    while (next !== null) {
      const current: MessageRange = next;
      let slice = await readInto(this.database, userId, current, NOTHING_ON_SCREENS);
      if (slice.onScreen.length > 0) {
        const begin = await this.database.transaction(async (session) => {
          slice = await readInto(session, userId, current, ALWAYS);
          return this.#takeBack(session, userId, slice.onScreen);
        });
        begin();
      }
      next = behind(current, slice);
    }
  }

  /**
   * The same in a transaction of the caller's, for a range that is known to be small. The caller calls what this
   * resolves with once the transaction has committed.
   */
  async markRangeWithin(session: Session, userId: number, range: MessageRange): Promise<Begin> {
    const onScreen: number[] = [];
    let next: MessageRange | null = range;
    while (next !== null) {
      const slice = await readInto(session, userId, next, ALWAYS);
      for (const id of slice.onScreen) onScreen.push(id);
      next = behind(next, slice);
    }
    return this.#takeBack(session, userId, onScreen);
  }

  async #takeBack(session: Session, userId: number, ids: readonly number[]): Promise<Begin> {
    if (ids.length === 0) return () => undefined;
    return this.notifier.read(
      session,
      ids.map((messageId) => ({ userId, messageId })),
    );
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
