import { Injectable } from '@nestjs/common';
import type { Platform } from '#push/jobs';
import { Database, type Transaction } from '#platform/database';
import { tokenDigestOf } from '#push/tokens';

/** A token of an account, in the form that the push service gets. */
export interface ChangedToken {
  readonly userId: number;
  readonly platform: Platform;
  /** As the app gave it. */
  readonly token: string;
  /** Null for FCM, and for a removal. */
  readonly appId: string | null;
}

/** A change that the push service has yet to confirm. */
export interface TokenChange {
  readonly id: number;
  readonly kind: 'register' | 'unregister' | 'unregister_all';
  readonly platform: Platform | null;
  readonly token: string | null;
  readonly appId: string | null;
  readonly attempts: number;
  /** Whether the request that stored it may still be about to send it. */
  readonly isAwaited: boolean;
}

/** How long changes wait for their next attempt, in milliseconds. */
interface PostponedFor {
  readonly delayMs: number;
  /** If they include a removal. */
  readonly removalDelayMs: number;
  /** See `first`. */
  readonly graceMs: number;
}

/** The identities of an account whose changes are sent, and its lease. */
export interface ChangingAccount {
  readonly userUuid: string;
  readonly realmUuid: string;
  /** The end of the lease as PostgreSQL writes it; no other lease of the account has it. */
  readonly leasedUntil: string;
}

const DIGEST = tokenDigestOf('given.platform', 'given.token');

// The update locks the account until the end of the transaction: `reset` sees each phone whose change was put before.
const IDENTIFY = `
  INSERT INTO push_service_accounts (user_id) SELECT DISTINCT user_id FROM unnest($1::int[]) AS user_id
  ORDER BY user_id
  ON CONFLICT (user_id) DO UPDATE SET user_id = excluded.user_id`;

// A later change of the same token replaces an earlier one.
const PUT = `
  WITH given AS (
    SELECT given.*, ${DIGEST} AS digest
    FROM unnest($1::int[], $2::text[], $3::text[], $4::text[]) AS given (user_id, platform, token, app_id)
  ), replaced AS (
    DELETE FROM push_service_changes change USING given
    WHERE change.user_id = given.user_id AND change.platform = given.platform
      AND change.token_digest = given.digest
  )
  INSERT INTO push_service_changes (user_id, kind, platform, token, token_digest, app_id, due_at)
  SELECT user_id, $5, platform, token, digest, app_id, now() + make_interval(secs => $6) FROM given`;

const FORGET = `DELETE FROM push_service_changes WHERE user_id = $1`;

const PUT_ALL = `
  INSERT INTO push_service_changes (user_id, kind, due_at) VALUES ($1, 'unregister_all', now())`;

const PUT_REST = `
  INSERT INTO push_service_changes (user_id, kind, platform, token, token_digest, app_id, due_at)
  SELECT device.user_id, 'register', device.platform, device.token, device.token_digest, device.app_id, now()
  FROM push_devices device JOIN users account ON account.id = device.user_id
  WHERE device.user_id = $1 AND device.key_generation = account.key_generation
  ORDER BY device.id`;

const IS_KNOWN = `SELECT FROM push_service_accounts WHERE user_id = $1`;

const COUNT = `SELECT count(*)::int AS count FROM push_service_changes WHERE user_id = $1`;

const LEASE = `
  WITH leased AS (
    UPDATE push_service_accounts SET leased_until = now() + make_interval(secs => $2)
    WHERE user_id = $1 AND (leased_until IS NULL OR leased_until < now())
    RETURNING user_id, uuid, leased_until::text AS leased_until
  ), identified AS (
    INSERT INTO push_service_realms (realm_id)
    SELECT account.realm_id FROM leased JOIN users account ON account.id = leased.user_id
    ON CONFLICT (realm_id) DO UPDATE SET realm_id = excluded.realm_id
    RETURNING uuid
  )
  SELECT leased.uuid AS "userUuid", identified.uuid AS "realmUuid", leased.leased_until AS "leasedUntil"
  FROM leased, identified`;

const RELEASE = `
  UPDATE push_service_accounts SET leased_until = NULL
  WHERE user_id = $1 AND leased_until = $2::timestamptz`;

/** Neither an attempt nor a sweep has moved the due time, which is `$2` seconds after the change was stored. */
const IS_AWAITED = `(
  attempts = 0 AND due_at > now() AND due_at <= created_at + make_interval(secs => $2)
)`;

const FIRST = `
  SELECT id, kind, platform, token, app_id AS "appId", attempts, ${IS_AWAITED} AS "isAwaited"
  FROM push_service_changes WHERE user_id = $1 ORDER BY id LIMIT 1`;

const FIND = `
  SELECT change.id
  FROM push_service_changes change
  JOIN (SELECT $2::text AS platform, $3::text AS token) given
    ON change.platform = given.platform AND change.token_digest = ${DIGEST}
  WHERE change.user_id = $1`;

const REMOVE = `DELETE FROM push_service_changes WHERE id = $1`;

const POSTPONE = `
  UPDATE push_service_changes
  SET attempts = least(attempts + 1, 1000), due_at = now() + make_interval(secs => CASE
      WHEN EXISTS (
        SELECT FROM push_service_changes waiting
        WHERE waiting.user_id = $1 AND waiting.kind <> 'register'
      ) THEN $5::float8 ELSE $3 END)
  WHERE user_id = $1 AND (id = ANY($4::bigint[]) OR NOT ${IS_AWAITED})`;

const BACKLOG = `
  SELECT count(*)::int AS changes,
    greatest(coalesce(extract(epoch FROM now() - min(created_at)), 0), 0)::float8 AS "oldestSeconds"
  FROM push_service_changes`;

// The due time moves, so that a lost job is added again later.
const TAKE_DUE = `
  WITH due AS (
    SELECT id, user_id FROM push_service_changes WHERE due_at < now()
    ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
  ), moved AS (
    UPDATE push_service_changes change SET due_at = now() + make_interval(secs => $2)
    FROM due WHERE change.id = due.id
  )
  SELECT DISTINCT user_id AS "userId" FROM due`;

/** Stores the changes of tokens that the push service has yet to confirm. Durations are in milliseconds. */
@Injectable()
export class TokenChangeRepository {
  constructor(private readonly database: Database) {}

  /** Stores changes of one kind; they are due after `delayMs`. */
  async put(
    transaction: Transaction,
    kind: 'register' | 'unregister',
    tokens: readonly ChangedToken[],
    delayMs = 0,
  ): Promise<void> {
    if (tokens.length === 0) return;
    const userIds = tokens.map(({ userId }) => userId);
    await transaction.query('identify_push_service_accounts', IDENTIFY, [userIds]);
    await transaction.query('put_push_service_changes', PUT, [
      userIds,
      tokens.map(({ platform }) => platform),
      tokens.map(({ token }) => token),
      tokens.map(({ appId }) => appId),
      kind,
      delayMs / 1000,
    ]);
  }

  /** Has the service forget all tokens of an account and learn those that it has now. */
  async reset(transaction: Transaction, userId: number): Promise<void> {
    await transaction.query('identify_push_service_accounts', IDENTIFY, [[userId]]);
    await transaction.query('forget_push_service_changes', FORGET, [userId]);
    await transaction.query('put_push_service_reset', PUT_ALL, [userId]);
    await transaction.query('put_push_service_rest', PUT_REST, [userId]);
  }

  /** Whether the push service knows an account. */
  async isKnown(transaction: Transaction, userId: number): Promise<boolean> {
    return (await transaction.query('is_push_service_account', IS_KNOWN, [userId])).length > 0;
  }

  /** The number of changes of an account that the service has yet to confirm. */
  async count(transaction: Transaction, userId: number): Promise<number> {
    const [row] = await transaction.query<{ count: number }>('count_push_service_changes', COUNT, [
      userId,
    ]);
    return row?.count ?? 0;
  }

  /** How many changes the push service has yet to confirm, and how old the oldest is. */
  async backlog(): Promise<{ readonly changes: number; readonly oldestSeconds: number }> {
    const [row] = await this.database.query<{ changes: number; oldestSeconds: number }>(
      'push_service_backlog',
      BACKLOG,
    );
    return row ?? { changes: 0, oldestSeconds: 0 };
  }

  /** Null while another process sends the changes of the account. */
  async lease(userId: number, leaseMs: number): Promise<ChangingAccount | null> {
    const values = [userId, leaseMs / 1000];
    const [row] = await this.database.query<ChangingAccount>('lease_push_account', LEASE, values);
    return row ?? null;
  }

  /** Ends a lease of an account; none of another process, which has begun after this one was over. */
  async release(
    userId: number,
    { leasedUntil }: Pick<ChangingAccount, 'leasedUntil'>,
  ): Promise<void> {
    await this.database.query('release_push_account', RELEASE, [userId, leasedUntil]);
  }

  /** The change of an account that is to be sent first. A request sends what it has stored within `graceMs`. */
  async first(userId: number, graceMs: number): Promise<TokenChange | null> {
    const [row] = await this.database.query<TokenChange>('first_push_service_change', FIRST, [
      userId,
      graceMs / 1000,
    ]);
    return row ?? null;
  }

  /** The id of the change of a token. */
  async find(
    transaction: Transaction,
    { userId, platform, token }: ChangedToken,
  ): Promise<number | null> {
    const [row] = await transaction.query<{ id: number }>('find_push_service_change', FIND, [
      userId,
      platform,
      token,
    ]);
    return row?.id ?? null;
  }

  /** Removes a change that the service has confirmed or refused. */
  async remove(id: number): Promise<void> {
    await this.database.query('remove_push_service_change', REMOVE, [id]);
  }

  /**
   * Counts an attempt, and sets the time of the next one, for the changes `ids` of an account and for all others that no
   * request is about to send: after `removalDelayMs` if a removal is among the changes of the account.
   */
  async postpone(
    userId: number,
    ids: readonly number[],
    { delayMs, removalDelayMs, graceMs }: PostponedFor,
  ): Promise<void> {
    const values = [userId, graceMs / 1000, delayMs / 1000, ids, removalDelayMs / 1000];
    await this.database.query('postpone_push_service_changes', POSTPONE, values);
  }

  /** Takes up to `limit` changes that are due, and resolves with their accounts; they are due again after `leaseMs`. */
  async takeDue(limit: number, leaseMs: number): Promise<number[]> {
    const rows = await this.database.query<{ userId: number }>(
      'take_due_push_service_changes',
      TAKE_DUE,
      [limit, leaseMs / 1000],
    );
    return rows.map(({ userId }) => userId);
  }
}
