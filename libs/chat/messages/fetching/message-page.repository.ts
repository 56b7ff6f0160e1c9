import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';
import type { Condition } from '../narrows/narrow.js';
import { inState, withoutMuted } from '../narrows/narrow-conditions.js';
import type { NarrowQuery } from '../narrows/narrow-resolver.js';
import type { MessageOfReader } from '../reading/message.repository.js';
import { type Cut, NEWEST, OLDEST, type Range } from './anchor.rules.js';
import { MAX_PAGE_BYTES } from '../reading/message-bytes.js';
import { NarrowStatement, type Side } from './narrow-statement.js';

/** Not prepared under a name: each narrow has a statement of its own, planned for its values. */
const UNNAMED = '';

/**
 * Without merge joins: PostgreSQL would join all messages of the server with those of the account, and expects to find the
 * newest ones soon, although an account may have received none for long. Without hash joins and sequential scans: for a
 * search with thousands of matches, PostgreSQL would read all rows of the accounts instead of one for each match. Without
 * parallel workers and JIT: one request takes one processor, and the limits end most plans early. With memory for the
 * bitmap of a frequent word: a bitmap that does not fit keeps only pages, and PostgreSQL would then compute the words of
 * every message on them.
 */
const PREPARE = `
  SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true),
    set_config('enable_mergejoin', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_seqscan', 'off', true),
    set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true),
    set_config('work_mem', '32MB', true)`;
const STATEMENT_TIMEOUT_MS = 5000;
/** Shorter, so that the error of a statement that waits for a lock is not that of an expensive one. */
const LOCK_TIMEOUT_MS = 4000;

/**
 * The lowest id that a message since `$1` may have. No index has the times, but they rise with the ids: a binary search reads a
 * few dozen rows. It looks for a time one minute earlier, because messages are committed out of order and clocks are corrected.
 * After a larger correction, the id may be too high.
 */
const BELOW_TIME = `
  WITH RECURSIVE search (low, high) AS (
    SELECT coalesce(min(id), 0)::bigint, coalesce(max(id), 0)::bigint + 1 FROM messages
    UNION ALL
    SELECT CASE WHEN probe.is_earlier THEN probe.id + 1 ELSE search.low END,
      CASE WHEN probe.is_earlier THEN search.high ELSE (search.low + search.high) / 2 END
    FROM search CROSS JOIN LATERAL (
      SELECT id, sent_at < $1::timestamptz - interval '1 minute' AS is_earlier FROM messages
      WHERE id >= (search.low + search.high) / 2 ORDER BY id LIMIT 1
    ) AS probe
    WHERE search.low < search.high
  )
  SELECT max(low)::bigint AS id FROM search`;

/** Messages in ascending order. Of those that have too many bytes together, the nearest ones to the anchor. */
interface MessagePage {
  readonly messages: readonly MessageOfReader[];
  readonly cut: Cut;
}

/** A message with the number of all messages that the narrow has on its side of the anchor. */
type PageRow = MessageOfReader & { readonly found: number };

/** Reads the messages of narrows. Each statement is bounded by limits and by a time. */
@Injectable()
export class MessagePageRepository {
  constructor(private readonly database: Database) {}

  /** Runs readings in a snapshot that bounds the time of each statement, and sets what their plans may use. */
  async snapshot<Result>(read: (snapshot: Session) => Promise<Result>): Promise<Result> {
    return this.database.snapshot(async (snapshot) => {
      await snapshot.query('prepare_narrows', PREPARE, [
        String(STATEMENT_TIMEOUT_MS),
        String(LOCK_TIMEOUT_MS),
      ]);
      return read(snapshot);
    });
  }

  /** The messages of a range: at most some bytes, half of them on each side of an anchor between both. */
  async page(
    session: Session,
    resolved: NarrowQuery,
    range: Range,
    bytes: number = MAX_PAGE_BYTES,
  ): Promise<MessagePage> {
    const { anchor, before, after } = range;
    const statement = new NarrowStatement(resolved);
    const maxBytes = before > 0 && after > 0 ? bytes / 2 : bytes;
    const text = statement.messages(unionOf(statement, range), anchor, maxBytes);
    const rows = await session.query<PageRow>(UNNAMED, text, statement.values);
    return pageOf(rows, anchor);
  }

  /** The ids of the messages of a range, in ascending order. */
  async ids(session: Session, resolved: NarrowQuery, range: Range): Promise<number[]> {
    const statement = new NarrowStatement(resolved);
    const text = `SELECT id::bigint FROM (${unionOf(statement, range)}) AS page ORDER BY id`;
    const rows = await session.query<{ id: number }>(UNNAMED, text, statement.values);
    return rows.map(({ id }) => id);
  }

  /** Those of some messages that the account may read and that are in the narrow: the first `MAX_PAGE_BYTES`. */
  async among(
    session: Session,
    resolved: NarrowQuery,
    ids: readonly number[],
  ): Promise<MessagePage> {
    const statement = new NarrowStatement(resolved);
    const text = statement.messages(statement.among(ids), OLDEST, MAX_PAGE_BYTES);
    const rows = await session.query<PageRow>(UNNAMED, text, statement.values);
    return pageOf(rows, OLDEST);
  }

  /**
   * The oldest unread message of a narrow, without what the account has muted unless the narrow is about that; NEWEST
   * without one.
   */
  async firstUnread(session: Session, { narrow, reader }: NarrowQuery): Promise<number> {
    const conditions = [...narrow.conditions, inState('unread'), ...withoutMuted(narrow)];
    const source = narrow.source === 'direct' ? ('direct' as const) : ('received' as const);
    return this.#first(session, { reader, narrow: { ...narrow, source, conditions } });
  }

  /** The first message of a narrow at or after a time; NEWEST without one. */
  async firstSince(session: Session, { narrow, reader }: NarrowQuery, date: Date): Promise<number> {
    const since: Condition = (sql) => `m.sent_at >= ${sql.add(date)}::timestamptz`;
    const conditions = [...narrow.conditions, since];
    const [below] = await session.query<{ id: number }>('message_id_below_time', BELOW_TIME, [
      date,
    ]);
    const bound = { is: '>=', id: below?.id ?? OLDEST } as const;
    return this.#first(session, { reader, narrow: { ...narrow, conditions } }, bound);
  }

  async #first(
    session: Session,
    resolved: NarrowQuery,
    bound: Side['bound'] = null,
  ): Promise<number> {
    const statement = new NarrowStatement(resolved);
    const first = statement.side({ bound, direction: 'ASC', limit: 1 });
    const text = `SELECT id::bigint FROM (${first}) AS page`;
    const [row] = await session.query<{ id: number }>(UNNAMED, text, statement.values);
    return row?.id ?? NEWEST;
  }
}

function pageOf(rows: readonly PageRow[], anchor: number): MessagePage {
  const isCut = (side: readonly PageRow[]) => side.length < (side[0]?.found ?? 0);
  return {
    messages: rows,
    cut: {
      isBefore: isCut(rows.filter(({ id }) => id < anchor)),
      isAfter: isCut(rows.filter(({ id }) => id > anchor)),
    },
  };
}

/** The ids of a range: those before the anchor, and those from the anchor on. */
function unionOf(statement: NarrowStatement, range: Range): string {
  const { anchor, before, after, isAnchorIncluded } = range;
  const sides: Side[] = [];
  const hasBefore = anchor !== OLDEST && before > 0;
  const hasAfter = anchor !== NEWEST && after > 0;
  const own = Number(isAnchorIncluded);
  if (hasBefore) {
    const withAnchor = isAnchorIncluded && !hasAfter && anchor !== NEWEST;
    sides.push({
      bound: anchor === NEWEST ? null : { is: withAnchor ? '<=' : '<', id: anchor },
      direction: 'DESC',
      limit: before + Number(withAnchor),
    });
  }
  if (hasAfter) {
    sides.push({
      bound: anchor === OLDEST ? null : { is: isAnchorIncluded ? '>=' : '>', id: anchor },
      direction: 'ASC',
      limit: after + (anchor === OLDEST ? 0 : own),
    });
  }
  if (sides.length === 0) {
    sides.push({ bound: { is: '=', id: anchor }, direction: 'ASC', limit: own });
  }
  return sides.map((side) => `(${statement.side(side)})`).join(' UNION ALL ');
}
