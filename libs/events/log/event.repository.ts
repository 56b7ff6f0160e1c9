import { Injectable } from '@nestjs/common';
import { mapInSlices } from '#platform/core';
import { Database, type Session, type Transaction } from '#platform/database';
import { currentTraceParent } from '#platform/telemetry';
import { type EventHead, eventScopes, type LoggedEvent, type NewEvent } from './event.js';

// The row of the head is locked until the commit, so the order of the positions is the order of the commits, and a reader
// that has seen a position never sees a smaller one appear.
const APPEND = `
  WITH head AS (
    INSERT INTO event_heads AS h (realm_id, position) VALUES ($1, $2)
    ON CONFLICT (realm_id) DO UPDATE SET position = h.position + excluded.position
    RETURNING position
  )
  INSERT INTO events
    (realm_id, position, type, body, scope, user_ids, except_ids, flags, origin, trace_parent)
  SELECT $1, head.position - $2 + one.number, one.event->>'type', one.event->'body',
    (one.event->>'scope')::smallint, (one.event->>'userIds')::int[],
    (one.event->>'exceptIds')::int[], one.event->'flags', one.event->'origin', $4
  FROM head CROSS JOIN json_array_elements($3::json) WITH ORDINALITY AS one (event, number)`;

const LOCK_HEAD = `
  INSERT INTO event_heads AS h (realm_id, position) VALUES ($1, 0)
  ON CONFLICT (realm_id) DO UPDATE SET position = h.position`;

const HEAD = `
  SELECT head.position, newest.created_at AS "storedAt"
  FROM event_heads AS head LEFT JOIN events AS newest USING (realm_id, position)
  WHERE head.realm_id = $1`;

const COMPARE = `
  SELECT known.realm_id AS "realmId", coalesce(head.position, 0) AS position, newest.created_at AS "storedAt",
    coalesce(head.position, 0) < known.position OR coalesce(same.created_at <> known.stored_at, false)
      AS "isRestored"
  FROM unnest($1::int[], $2::bigint[], $3::timestamptz[]) AS known (realm_id, position, stored_at)
  LEFT JOIN event_heads AS head ON head.realm_id = known.realm_id
  LEFT JOIN events AS newest ON newest.realm_id = head.realm_id AND newest.position = head.position
  LEFT JOIN events AS same ON same.realm_id = known.realm_id AND same.position = known.position`;

/** SQL: whether the event at position `$2` was stored at another time than that in `parameter`. */
const replacedAt = (parameter: string) =>
  `EXISTS (SELECT FROM events WHERE realm_id = $1 AND position = $2 AND created_at <> ${parameter})`;

// Reads all events between the positions, because no index has their types: the callers bound the distance.
const HAS_EVENTS_OF = `
  SELECT WHERE ${replacedAt('$5::timestamptz')} OR EXISTS (
    SELECT FROM events
    WHERE realm_id = $1 AND position > $2 AND position <= $3 AND type = ANY($4::text[])
  )`;

const AFTER = `
  SELECT position, type, body, scope, user_ids AS "userIds", except_ids AS "exceptIds", flags, origin,
    trace_parent AS "traceParent", created_at AS "storedAt"
  FROM events
  WHERE realm_id = $1 AND position > $2 AND NOT ${replacedAt('$4::timestamptz')}
  ORDER BY position LIMIT $3`;

// Reads all events between the positions too. The parameters are those of `valuesOf`.
const MAY_CONCERN_USER = `
  realm_id = $1 AND position > $2 AND position <= $3
    AND (
      scope IN (${eventScopes.all}, ${eventScopes.members})
      OR $7 AND scope = ${eventScopes.publicListeners}
      OR user_ids @> ARRAY[$4::int]
    )
    AND ($6::text[] IS NULL OR type = ANY($6))`;

/** SQL: the list of accounts in `column` without all accounts but `$4`. */
const onlyUser = (column: string) =>
  `CASE WHEN ${column} @> ARRAY[$4::int] THEN ARRAY[$4::int] ELSE '{}' END`;

// A message can have tens of thousands of recipients: their ids stay in PostgreSQL. So do the bodies beyond `$8` bytes.
const AFTER_FOR_USER = `
  SELECT position, type, body, bytes, scope, ${onlyUser('user_ids')} AS "userIds",
    ${onlyUser('except_ids')} AS "exceptIds", (
      SELECT json_agg(json_build_object('flags', one->'flags', 'userIds', ARRAY[$4::int]))
      FROM json_array_elements(flags) AS one
      WHERE (one->'userIds')::jsonb @> to_jsonb($4::int)
    ) AS flags, origin, trace_parent AS "traceParent", created_at AS "storedAt"
  FROM (
    SELECT events.*, octet_length(body::text) AS bytes, sum(octet_length(body::text)) OVER (
      ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS bytes_before
    FROM events WHERE ${MAY_CONCERN_USER} ORDER BY position LIMIT $5
  ) AS page
  WHERE bytes_before IS NULL OR bytes_before < $8::bigint ORDER BY position`;

const COUNT_FOR_USER = `
  SELECT count(*)::int AS count FROM (
    SELECT FROM events WHERE ${MAY_CONCERN_USER} LIMIT $5
  ) AS found`;

const IS_STORED = `SELECT FROM events WHERE realm_id = $1 AND position = $2`;

const DELETE_OLD = `
  DELETE FROM events WHERE (realm_id, position) IN (
    SELECT realm_id, position FROM events WHERE created_at < now() - make_interval(secs => $1)
    ORDER BY created_at LIMIT $2
    FOR UPDATE SKIP LOCKED
  ) RETURNING 1`;

/** A part of the events of an organisation. */
interface EventRange {
  /** The position before the first event. */
  readonly after: number;
  /** The position of the last event. */
  readonly upTo: number;
  /** Null for all types. */
  readonly types: readonly string[] | null;
  /** The most rows. */
  readonly limit: number;
}

/** A part of the events, of which as many are read as fit. */
interface EventPage extends EventRange {
  /** The bodies of the events before the last one have fewer bytes. */
  readonly maxBytes: number;
}

/** An event of a page. */
interface SizedEvent extends LoggedEvent {
  /** The size of its body. */
  readonly bytes: number;
}

/** An account whose queue is behind the window. */
export interface LogReader {
  readonly userId: number;
  /** Whether the queue listens to all public channels. */
  readonly isPublicListener: boolean;
}

/** The newest event, compared with the one that was the newest before. */
interface ComparedHead extends EventHead {
  /** Whether PostgreSQL was restored to a state without the event that was known. */
  readonly isRestored: boolean;
}

/** Before the first event. */
export const NO_EVENTS: EventHead = { position: 0, storedAt: null };

/** The events of organisations, in the order of their commits. */
@Injectable()
export class EventRepository {
  constructor(private readonly database: Database) {}

  /**
   * Stores events of one organisation with the last statements of their transaction: one, unless they are large. Their JSON is
   * made in time slices.
   */
  async append(
    transaction: Transaction,
    realmId: number,
    events: readonly NewEvent[],
  ): Promise<void> {
    const rows = await mapInSlices(events, (event) => storableJson(toRow(event)));
    for (const batch of batchesOf(rows)) {
      const values = [realmId, batch.length, `[${batch.join(',')}]`, currentTraceParent()];
      await transaction.query('append_events', APPEND, values);
    }
  }

  /** Locks the order of the events of an organisation until the end of the transaction. */
  async lockHead(transaction: Transaction, realmId: number): Promise<void> {
    await transaction.query('lock_event_head', LOCK_HEAD, [realmId]);
  }

  /** The newest event. */
  async head(realmId: number, session: Session = this.database): Promise<EventHead> {
    const [row] = await session.query<EventHead>('event_head', HEAD, [realmId]);
    return row ?? NO_EVENTS;
  }

  /** The newest events, by organisation, compared with those that were the newest ones before. */
  async compare(known: ReadonlyMap<number, EventHead>): Promise<Map<number, ComparedHead>> {
    const heads = [...known.values()];
    const rows = await this.database.query<ComparedHead & { readonly realmId: number }>(
      'compare_event_heads',
      COMPARE,
      [
        [...known.keys()],
        heads.map(({ position }) => position),
        heads.map(({ storedAt }) => storedAt),
      ],
    );
    return new Map(rows.map(({ realmId, ...head }) => [realmId, head]));
  }

  /** Whether there are events of these types after a head up to `upTo`, or another event in the place of the head. */
  async hasEventsOf(
    session: Session,
    realmId: number,
    types: readonly string[],
    { position, storedAt, upTo }: EventHead & { readonly upTo: number },
  ): Promise<boolean> {
    const values = [realmId, position, upTo, types, storedAt];
    return (await session.query('has_events_of', HAS_EVENTS_OF, values)).length > 0;
  }

  /** The events after a head, at most `limit`, in order; none if another event is in the place of the head. */
  async after(
    realmId: number,
    { position, storedAt }: EventHead,
    limit: number,
  ): Promise<LoggedEvent[]> {
    const values = [realmId, position, limit, storedAt];
    return this.database.query<LoggedEvent>('events_after', AFTER, values);
  }

  /** Whether the event at a position is stored. */
  async isStored(realmId: number, position: number): Promise<boolean> {
    const rows = await this.database.query('is_event_stored', IS_STORED, [realmId, position]);
    return rows.length > 0;
  }

  /** The number of events of a range that may concern an account, at most `limit`. */
  async countForUser(realmId: number, reader: LogReader, range: EventRange): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      'count_events_for_user',
      COUNT_FOR_USER,
      valuesOf(realmId, reader, range),
    );
    return row?.count ?? 0;
  }

  /**
   * The first events of a range that may concern an account, in order: at most `limit`, and at least one if there is any.
   * Their lists have no other account.
   */
  async afterForUser(realmId: number, reader: LogReader, page: EventPage): Promise<SizedEvent[]> {
    const values = [...valuesOf(realmId, reader, page), page.maxBytes];
    return this.database.query<SizedEvent>('events_after_for_user', AFTER_FOR_USER, values);
  }

  /** Deletes events older than `seconds`, at most `limit`; resolves with their number. */
  async deleteOld(seconds: number, limit: number): Promise<number> {
    const rows = await this.database.query('delete_old_events', DELETE_OLD, [seconds, limit]);
    return rows.length;
  }
}

const valuesOf = (
  realmId: number,
  { userId, isPublicListener }: LogReader,
  { after, upTo, types, limit }: EventRange,
) => [realmId, after, upTo, userId, limit, types, isPublicListener];

/** A lone half of a surrogate pair, and the null character: JSON can have them, the texts of PostgreSQL cannot. */
const UNSTORABLE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]|\0/g;

/** Their escapes in JSON, or a text that looks like one. */
const ESCAPED = /\\u(?:d[89a-f]|0000)/;

/** The JSON of a value, in whose texts they are replaced, as PostgreSQL's client does in other texts. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  // A replacer is called for each item of a list: 50,000 ids take 30 ms in place of 8.
  return ESCAPED.test(json) ? JSON.stringify(value, withoutUnstorable) : json;
}

const withoutUnstorable = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll(UNSTORABLE, '\u{fffd}') : value;

/**
 * The most characters of the events of a statement, unless one event alone has more: the client copies its parameters without
 * a pause, and a hundred events for 8,000 accounts each have 5 MB.
 */
const MAX_BATCH = 262_144;

/** The rows in order, in as few lists as `MAX_BATCH` allows. */
function* batchesOf(rows: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let size = 0;
  for (const row of rows) {
    if (batch.length > 0 && size + row.length > MAX_BATCH) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(row);
    size += row.length;
  }
  if (batch.length > 0) yield batch;
}

const arrayText = (ids: readonly number[] = []): string => `{${ids.join(',')}}`;

function toRow({ type, body, audience, isPublic = false, flags, origin }: NewEvent) {
  const isListed = !('everyone' in audience);
  return {
    type,
    body,
    scope: isListed
      ? eventScopes[isPublic ? 'publicListeners' : 'listed']
      : eventScopes[audience.everyone],
    userIds: arrayText(audience.userIds),
    exceptIds: isListed ? '{}' : arrayText(audience.exceptIds),
    flags: flags === undefined || flags.length === 0 ? undefined : flags,
    origin,
  };
}
