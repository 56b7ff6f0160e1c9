import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';

/** A request with an idempotency key: a repetition is answered without being executed again. */
export interface IdempotentRequest {
  readonly userId: number;
  /** The account's idempotency key. */
  readonly key: string;
  /** The digest of its content, by `requestDigest`. */
  readonly digest: Buffer;
}

/** An earlier request under a key, and its answer. */
export interface EarlierRequest {
  readonly digest: Buffer;
  readonly answer: unknown;
}

const FIND = `SELECT digest, answer FROM idempotency_keys WHERE user_id = $1 AND key = $2`;

// Of two concurrent requests, one waits here until the other has committed or rolled back. An existing row is locked
// and not changed; a new row has xmax 0.
const CLAIM = `
  INSERT INTO idempotency_keys (user_id, key, digest, answer) VALUES ($1, $2, $3, 'null')
  ON CONFLICT (user_id, key) DO UPDATE SET key = excluded.key
  RETURNING digest, answer, xmax = 0 AS is_new`;

const STORE_RESULT = `UPDATE idempotency_keys SET answer = $3 WHERE user_id = $1 AND key = $2`;

const FORGET = `
  DELETE FROM idempotency_keys WHERE (user_id, key) IN (
    SELECT user_id, key FROM idempotency_keys
    WHERE created_at < now() - make_interval(secs => $1)
    ORDER BY created_at LIMIT $2
    FOR UPDATE SKIP LOCKED
  )
  RETURNING 1`;

// Keeps the newest keys and deletes older ones in slices.
const TRIM = `
  DELETE FROM idempotency_keys WHERE (user_id, key) IN (
    SELECT user_id, key FROM idempotency_keys
    WHERE user_id = $1 AND created_at <= (
      SELECT created_at FROM idempotency_keys WHERE user_id = $1
      ORDER BY created_at DESC OFFSET $2 LIMIT 1
    )
    ORDER BY created_at LIMIT $3
    FOR UPDATE SKIP LOCKED
  )
  RETURNING 1`;

/** The executed requests by account and key. */
@Injectable()
export class IdempotencyKeyRepository {
  constructor(private readonly database: Database) {}

  /** The request that was executed under this key; null for an unused key. */
  async find({ userId, key }: IdempotentRequest): Promise<EarlierRequest | null> {
    const [earlier] = await this.database.query<EarlierRequest>('find_request', FIND, [
      userId,
      key,
    ]);
    return earlier ?? null;
  }

  /** Claims the key until the end of the transaction; null when it was free, else the earlier request. */
  async claim(
    transaction: Transaction,
    request: IdempotentRequest,
  ): Promise<EarlierRequest | null> {
    const { userId, key, digest } = request;
    const [row] = await transaction.query<EarlierRequest & { is_new: boolean }>(
      'claim_request',
      CLAIM,
      [userId, key, digest],
    );
    return row === undefined || row.is_new ? null : row;
  }

  /** Stores the answer of a request that was claimed in the same transaction. */
  async storeResult(
    transaction: Transaction,
    { userId, key }: IdempotentRequest,
    answer: unknown,
  ): Promise<void> {
    await transaction.query('store_request_result', STORE_RESULT, [
      userId,
      key,
      JSON.stringify(answer),
    ]);
  }

  /** Forgets the oldest requests of an account beyond the newest `most`, up to `limit` at once. */
  async trim(userId: number, most: number, limit: number): Promise<number> {
    const rows = await this.database.query('trim_requests', TRIM, [userId, most, limit]);
    return rows.length;
  }

  /** Forgets up to `limit` requests that are older than `ageMs`, and resolves with how many there were. */
  async forget(ageMs: number, limit: number): Promise<number> {
    const rows = await this.database.query('forget_requests', FORGET, [ageMs / 1000, limit]);
    return rows.length;
  }
}
