import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#database';
import type { KeyedRequest } from './keyed-request.js';

/** What was asked for before under a key, and answered. */
export interface EarlierRequest {
  readonly digest: Buffer;
  readonly answer: unknown;
}

const RECALL = `SELECT digest, answer FROM idempotency_keys WHERE user_id = $1 AND key = $2`;

// Of two requests at once, one waits here until the other has committed or given up. A row that was there
// is locked and left as it is; one that is new has no transaction that has changed it.
const CLAIM = `
  INSERT INTO idempotency_keys (user_id, key, digest, answer) VALUES ($1, $2, $3, 'null')
  ON CONFLICT (user_id, key) DO UPDATE SET key = excluded.key
  RETURNING digest, answer, xmax = 0 AS is_new`;

const SETTLE = `UPDATE idempotency_keys SET answer = $3 WHERE user_id = $1 AND key = $2`;

const FORGET = `
  DELETE FROM idempotency_keys WHERE (user_id, key) IN (
    SELECT user_id, key FROM idempotency_keys
    WHERE created_at < now() - make_interval(secs => $1)
    ORDER BY created_at LIMIT $2
    FOR UPDATE SKIP LOCKED
  )
  RETURNING 1`;

// The newest ones stay. What is older than those goes in slices.
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

/** Which requests were carried out under which keys, by account. */
@Injectable()
export class IdempotencyKeyRepository {
  constructor(private readonly database: Database) {}

  /** The request that was carried out under this key; null when there is none. */
  async recall({ userId, key }: KeyedRequest): Promise<EarlierRequest | null> {
    const [earlier] = await this.database.query<EarlierRequest>('recall_request', RECALL, [
      userId,
      key,
    ]);
    return earlier ?? null;
  }

  /** Takes the key for the time of the transaction; null when it was free, else what it stands for. */
  async claim(session: Session, request: KeyedRequest): Promise<EarlierRequest | null> {
    const { userId, key, digest } = request;
    const [row] = await session.query<EarlierRequest & { is_new: boolean }>(
      'claim_request',
      CLAIM,
      [userId, key, digest],
    );
    return row === undefined || row.is_new ? null : row;
  }

  /** Keeps what a request that was claimed in the same transaction was answered. */
  async settle(session: Session, { userId, key }: KeyedRequest, answer: unknown): Promise<void> {
    await session.query('settle_request', SETTLE, [userId, key, JSON.stringify(answer)]);
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
