import { Injectable } from '@nestjs/common';
import { storableJson } from '#events/log';
import { Database, type Transaction } from '#platform/database';
import type { EventQueue, ReservedQueue } from './queue.js';
import { LONGEST_POLL_MS, LONGEST_SLACK_SECONDS } from './queue-lifetime.rules.js';

/** A stored queue with its expiry. */
interface QueueRow extends EventQueue {
  /** The remaining lifetime in milliseconds. */
  readonly remainingMs: number;
}

/** At most this many queues of an account are compared by their last polls in Redis. */
const MAX_COMPARED = 1000;

const COLUMNS = `
  id, realm_id AS "realmId", user_id AS "userId", options, start_position AS "startPosition",
  idle_seconds AS "idleSeconds",
  (extract(epoch FROM expires_at - now()) * 1000)::float8 AS "remainingMs"`;

const LOCK_ACCOUNT = `SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE`;

const LOCK_RESERVATIONS = `
  SELECT pg_advisory_xact_lock_shared(hashtextextended('event_queues:' || $1::int, 0))`;

// Waits for the reservations that the deletion would not see; later ones wait for the end of the transaction.
const BLOCK_RESERVATIONS = `
  SELECT pg_advisory_xact_lock(hashtextextended('event_queues:' || realm_id, 0)) FROM (
    SELECT DISTINCT realm_id FROM users WHERE id = ANY($1::int[]) ORDER BY realm_id
  ) AS own`;

const RESERVE = `
  INSERT INTO event_queues
    (id, realm_id, user_id, options, start_position, idle_seconds, expires_at)
  VALUES ($1, $2, $3, $4, 0, $5, now() + make_interval(secs => $6))`;

const START = `UPDATE event_queues SET start_position = $2 WHERE id = $1 RETURNING 1`;

// The last poll that PostgreSQL knows is the expiry without the lifetime after a poll, see storedLifeSeconds.
const LEAST_USED = `
  SELECT id, "idleSeconds", (extract(epoch FROM polled_at) * 1000)::float8 AS "polledAt", count
  FROM (
    SELECT id, idle_seconds AS "idleSeconds", count(*) OVER ()::int AS count,
      expires_at - make_interval(
        secs => idle_seconds + ${LONGEST_POLL_MS / 1000} + least(idle_seconds, ${LONGEST_SLACK_SECONDS})
      ) AS polled_at
    FROM event_queues WHERE user_id = $1 AND id <> $3
  ) AS other WHERE count >= $2 ORDER BY polled_at, id LIMIT ${MAX_COMPARED}`;

const FIND = `
  SELECT ${COLUMNS} FROM event_queues WHERE id = $1 AND user_id = $2 AND expires_at > now()`;

const EXTEND = `
  UPDATE event_queues SET expires_at = now() + make_interval(secs => $2) WHERE id = $1 RETURNING 1`;

const RECORD_POLL = `
  UPDATE event_queues SET polled_at = now(), expires_at = now() + make_interval(secs => $2)
  WHERE id = $1`;

const WAS_POLLED = `
  SELECT FROM event_queues WHERE id = $1 AND polled_at > now() - make_interval(secs => $2)`;

/** SQL: whether a queue `queue` gets the events of messages. */
const GETS_MESSAGES = `coalesce(
  CASE jsonb_typeof(queue.options -> 'eventTypes')
    WHEN 'array' THEN queue.options -> 'eventTypes' ? 'message'
  END, true
)`;

/** SQL: whether an account, given as an expression, has a queue that gets the events of messages. */
export const hasMessageQueue = (userId: string): string => `EXISTS (
  SELECT FROM event_queues queue
  WHERE queue.user_id = ${userId} AND queue.expires_at > now() AND ${GETS_MESSAGES}
)`;

const WITHOUT_MESSAGE_QUEUE = `
  SELECT ended.id FROM unnest($1::int[]) AS ended (id) WHERE NOT ${hasMessageQueue('ended.id')}`;

const DELETE = `
  DELETE FROM event_queues queue WHERE id = $1 AND user_id = $2
  RETURNING ${GETS_MESSAGES} AS "getsMessages"`;

// Gateways that delete at the same time lock the rows in the same order.
const DELETE_ALL = `
  DELETE FROM event_queues WHERE id IN (
    SELECT id FROM event_queues WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE
  )`;

const DELETE_OF_ACCOUNTS = `DELETE FROM event_queues WHERE user_id = ANY($1::int[]) RETURNING id`;

// Waits for locked rows: a queue that is skipped would remain, and its client would miss events. Gateways that delete
// at the same time lock the rows in the same order.
const DELETE_OF_REALM = `
  DELETE FROM event_queues WHERE id IN (
    SELECT id FROM event_queues WHERE realm_id = $1 ORDER BY id LIMIT $2 FOR UPDATE
  ) RETURNING id`;

const DELETE_EXPIRED = `
  DELETE FROM event_queues queue WHERE id IN (
    SELECT id FROM event_queues WHERE expires_at < now() ORDER BY expires_at LIMIT $1
    FOR UPDATE SKIP LOCKED
  ) RETURNING user_id AS "userId", ${GETS_MESSAGES} AS "getsMessages"`;

/** A deleted queue. */
interface QueueDeletion {
  readonly userId: number;
  /** Whether it got the events of messages. */
  readonly getsMessages: boolean;
}

/** A queue, and its last poll. */
export interface QueuePoll {
  readonly id: string;
  readonly idleSeconds: number;
  /** In UNIX milliseconds. */
  readonly polledAt: number;
}

/** Queues of an account with too many of them. */
export interface LeastUsed {
  /** The number of queues to delete. */
  readonly excess: number;
  /** With the last polls that PostgreSQL knows, the earliest first. */
  readonly queues: readonly QueuePoll[];
}

/** The registered queues. Redis has their changing state. */
@Injectable()
export class QueueRepository {
  constructor(private readonly database: Database) {}

  /**
   * Stores a queue that expires after `lifeSeconds`. Resolves with null if the account then has at most `limit` queues, and
   * otherwise with the queues to choose from for deletion.
   */
  async reserve(
    queue: ReservedQueue,
    lifeSeconds: number,
    limit: number,
  ): Promise<LeastUsed | null> {
    const { id, realmId, userId, options, idleSeconds } = queue;
    return this.database.transaction(async (transaction) => {
      // Of two registrations at once, each would find room for itself. This lock is the first one, because a change of the
      // account holds it when it deletes the queues.
      await transaction.query('lock_account_of_queues', LOCK_ACCOUNT, [userId]);
      await transaction.query('lock_reservations_of_queues', LOCK_RESERVATIONS, [realmId]);
      const stored = storableJson(options);
      const row = [id, realmId, userId, stored, idleSeconds, lifeSeconds];
      await transaction.query('reserve_event_queue', RESERVE, row);
      const queues = await transaction.query<QueuePoll & { readonly count: number }>(
        'least_used_event_queues',
        LEAST_USED,
        [userId, limit, id],
      );
      const [first] = queues;
      return first === undefined ? null : { excess: first.count - limit + 1, queues };
    });
  }

  /** False if the queue has been deleted meanwhile. */
  async start({ id, startPosition }: EventQueue): Promise<boolean> {
    const rows = await this.database.query('start_event_queue', START, [id, startPosition]);
    return rows.length > 0;
  }

  /** Null for an unknown or expired queue, and for a queue of another account. */
  async find(id: string, userId: number): Promise<QueueRow | null> {
    const [row] = await this.database.query<QueueRow>('find_event_queue', FIND, [id, userId]);
    return row ?? null;
  }

  /** The queue now expires after `lifeSeconds`. False if it has been deleted. */
  async extend(id: string, lifeSeconds: number): Promise<boolean> {
    const rows = await this.database.query('extend_event_queue', EXTEND, [id, lifeSeconds]);
    return rows.length > 0;
  }

  /** Records a poll that Redis could not record. */
  async recordPoll(id: string, lifeSeconds: number): Promise<void> {
    await this.database.query('record_poll_of_event_queue', RECORD_POLL, [id, lifeSeconds]);
  }

  /** Whether `recordPoll` was called for the queue in the last `seconds`. */
  async wasPolled(id: string, seconds: number): Promise<boolean> {
    const rows = await this.database.query('was_event_queue_polled', WAS_POLLED, [id, seconds]);
    return rows.length > 0;
  }

  /** Null if the account has no such queue. */
  async delete(id: string, userId: number): Promise<Pick<QueueDeletion, 'getsMessages'> | null> {
    const [row] = await this.database.query<QueueDeletion>('delete_event_queue', DELETE, [
      id,
      userId,
    ]);
    return row ?? null;
  }

  /** Those of the accounts that have no queue with the events of messages. */
  async withoutMessageQueue(userIds: readonly number[]): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      'accounts_without_message_queue',
      WITHOUT_MESSAGE_QUEUE,
      [userIds],
    );
    return rows.map(({ id }) => id);
  }

  /** Deletes queues; some may be missing. */
  async deleteAll(ids: readonly string[]): Promise<void> {
    await this.database.query('delete_event_queues', DELETE_ALL, [ids]);
  }

  /** Deletes all queues of accounts, also those of registrations that have begun; resolves with their ids. */
  async deleteOfAccounts(transaction: Transaction, userIds: readonly number[]): Promise<string[]> {
    await transaction.query('block_reservations_of_queues', BLOCK_RESERVATIONS, [userIds]);
    return idsOf(
      await transaction.query('delete_event_queues_of_accounts', DELETE_OF_ACCOUNTS, [userIds]),
    );
  }

  /** Deletes queues of an organisation, at most `limit`; resolves with their ids. */
  async deleteOfRealm(realmId: number, limit: number): Promise<string[]> {
    const values = [realmId, limit];
    return idsOf(
      await this.database.query('delete_event_queues_of_realm', DELETE_OF_REALM, values),
    );
  }

  /** Deletes expired queues, at most `limit`. */
  async deleteExpired(limit: number): Promise<QueueDeletion[]> {
    return this.database.query('delete_expired_event_queues', DELETE_EXPIRED, [limit]);
  }
}

const idsOf = (rows: readonly object[]): string[] =>
  rows.map((row) => (row as { readonly id: string }).id);
