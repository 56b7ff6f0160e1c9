import { Injectable } from '@nestjs/common';
import { Database, queryRow, type Session, type Transaction } from '#platform/database';
import type { WebPushKind } from '#push/providers';
import type { AccountKey } from '#platform/contracts';

/** A subscription to store. */
export interface NewSubscription {
  readonly kind: WebPushKind;
  readonly endpoint: string;
  readonly p256dh: Buffer;
  readonly auth: Buffer;
  readonly vapidKeyId: number;
}

/** A stored subscription, without its endpoint and keys. */
export interface StoredSubscription {
  readonly id: number;
  readonly state: 'pending' | 'active';
}

/** A subscription, as its account sees it. */
export interface ListedSubscription extends StoredSubscription {
  readonly endpoint: string;
  readonly kind: WebPushKind;
  readonly registeredAt: Date;
  readonly confirmedAt: Date | null;
}

/** What an answer of a push service changes. */
export type SubscriptionChange =
  /**
   * The service does not know the endpoint any more, or only not with a VAPID key; it was not registered later than `since`.
   */
  | {
      readonly kind: 'dead';
      readonly endpoint: string;
      /** Null: with any key. */
      readonly vapidKeyId: number | null;
      readonly since: Date;
    }
  | { readonly kind: 'accepted' | 'failing' | 'gone' | 'refused'; readonly id: number };

/** An unconfirmed subscription lives so long. */
const PENDING_MINUTES = 10;

/** SQL: a subscription is pending for too long. */
const IS_LATE = `state = 'pending' AND registered_at < now() - interval '${PENDING_MINUTES} minutes'`;

const DIGEST = (text: string): string => `sha256(convert_to(${text}, 'UTF8'))`;

// The lock on the account serialises registrations, and a registration and a change of the API key.
const LOCK_ACCOUNT = `
  SELECT realm_id AS "realmId" FROM users
  WHERE id = $1 AND key_generation = $2 AND is_active FOR NO KEY UPDATE`;

const REMOVE_LATE = `
  DELETE FROM web_push_subscriptions
  WHERE user_id = $1 AND (key_generation < $2 AND endpoint_digest <> ${DIGEST('$3::text')} OR ${IS_LATE})`;

// Equal values leave the state as it is.
const REFRESH = `
  UPDATE web_push_subscriptions SET key_generation = $2, registered_at = now()
  WHERE user_id = $1 AND endpoint_digest = ${DIGEST('$3::text')}
    AND kind = $4 AND p256dh = $5 AND auth = $6 AND vapid_key_id = $7
  RETURNING id, state`;

// The oldest pending ones make room.
const MAKE_ROOM = `
  DELETE FROM web_push_subscriptions WHERE id IN (
    SELECT id FROM web_push_subscriptions
    WHERE user_id = $1 AND state = 'pending' AND endpoint_digest <> ${DIGEST('$2::text')}
    ORDER BY registered_at, id
    LIMIT greatest((
      SELECT count(*) FROM web_push_subscriptions
      WHERE user_id = $1 AND endpoint_digest <> ${DIGEST('$2::text')}
    ) - $3 + 1, 0)
  )`;

const COUNT_OTHERS = `
  SELECT count(*)::int AS count FROM web_push_subscriptions
  WHERE user_id = $1 AND endpoint_digest <> ${DIGEST('$2::text')}`;

// An insertion takes an id even where it finds a conflict, so a known endpoint is updated first.
const STORE = `
  WITH known AS (
    UPDATE web_push_subscriptions
    SET key_generation = $2, kind = $4, p256dh = $5, auth = $6, vapid_key_id = $7, confirmation = $8,
      state = 'pending', registered_at = now(), confirmed_at = NULL, failing_since = NULL,
      gone_since = NULL, refused_count = 0
    WHERE user_id = $1 AND endpoint_digest = ${DIGEST('$3::text')}
    RETURNING id
  ), added AS (
    INSERT INTO web_push_subscriptions (
      user_id, key_generation, endpoint, endpoint_digest, kind, p256dh, auth, vapid_key_id, confirmation
    )
    SELECT $1, $2, $3::text, ${DIGEST('$3::text')}, $4, $5, $6, $7, $8
    WHERE NOT EXISTS (SELECT FROM known)
    RETURNING id
  )
  SELECT id FROM known UNION ALL SELECT id FROM added`;

const CONFIRMATION = `
  SELECT confirmation FROM web_push_subscriptions
  WHERE id = $1 AND user_id = $2 AND key_generation = $3 AND NOT (${IS_LATE})`;

const ACTIVATE = `
  UPDATE web_push_subscriptions SET state = 'active', confirmed_at = coalesce(confirmed_at, now())
  WHERE id = $1 AND user_id = $2 AND key_generation = $3 AND confirmation = $4 AND NOT (${IS_LATE})
  RETURNING id`;

const LIST = `
  SELECT id, state, endpoint, kind, registered_at AS "registeredAt", confirmed_at AS "confirmedAt"
  FROM web_push_subscriptions
  WHERE user_id = $1 AND key_generation = $2 AND NOT (${IS_LATE})
  ORDER BY id`;

const REMOVE_OWN = `
  DELETE FROM web_push_subscriptions
  WHERE user_id = $1 AND (id = $2 OR endpoint_digest = ${DIGEST('$3::text')})
  RETURNING id`;

const REMOVE_CHOSEN = `
  DELETE FROM web_push_subscriptions
  WHERE user_id = $1 AND ($2::int[] IS NULL OR id = ANY($2))
  RETURNING id`;

const REMOVE_OLDER = `
  DELETE FROM web_push_subscriptions WHERE user_id = $1 AND key_generation < $2 RETURNING id`;

// Accounts in one browser may share an endpoint: dead for one is dead for all.
const REMOVE_DEAD = `
  DELETE FROM web_push_subscriptions subscription
  USING unnest($1::text[], $2::int[], $3::timestamptz[]) AS dead (endpoint, vapid_key_id, since)
  WHERE subscription.endpoint_digest = ${DIGEST('dead.endpoint')}
    AND (dead.vapid_key_id IS NULL OR subscription.vapid_key_id = dead.vapid_key_id)
    AND subscription.registered_at <= dead.since
  RETURNING subscription.id`;

const REMEMBER = `
  UPDATE web_push_subscriptions subscription
  SET failing_since = CASE answer.kind WHEN 'accepted' THEN NULL
      WHEN 'failing' THEN coalesce(failing_since, now()) ELSE failing_since END,
    gone_since = CASE answer.kind WHEN 'accepted' THEN NULL WHEN 'gone' THEN coalesce(gone_since, now())
      ELSE gone_since END,
    refused_count = CASE answer.kind WHEN 'accepted' THEN 0 WHEN 'refused' THEN least(refused_count + 1, 100)
      ELSE refused_count END
  FROM unnest($1::int[], $2::text[]) AS answer (id, kind)
  WHERE subscription.id = answer.id`;

const REMOVE_ALL_LATE = `
  DELETE FROM web_push_subscriptions WHERE id IN (
    SELECT id FROM web_push_subscriptions WHERE ${IS_LATE} LIMIT $1 FOR UPDATE SKIP LOCKED
  ) RETURNING id`;

/** Stores the subscriptions of Web Push. */
@Injectable()
export class WebPushRepository {
  constructor(private readonly database: Database) {}

  /** Locks the account; null if the key of the sign-in was replaced or the account is deactivated. */
  async lockAccount(
    transaction: Transaction,
    { userId, keyGeneration }: AccountKey,
  ): Promise<{ readonly realmId: number } | null> {
    const values = [userId, keyGeneration];
    const rows = await transaction.query<{ realmId: number }>(
      'lock_web_push_account',
      LOCK_ACCOUNT,
      values,
    );
    return rows[0] ?? null;
  }

  /** Removes the late ones of an account, and those of older API keys, but for one with this endpoint. */
  async removeLate(
    transaction: Transaction,
    { userId, keyGeneration }: AccountKey,
    endpoint: string,
  ): Promise<void> {
    const values = [userId, keyGeneration, endpoint];
    await transaction.query('remove_late_web_push', REMOVE_LATE, values);
  }

  /** Refreshes a subscription with equal values; null if the account has none. */
  async refresh(
    transaction: Transaction,
    owner: AccountKey,
    subscription: NewSubscription,
  ): Promise<StoredSubscription | null> {
    const rows = await transaction.query<StoredSubscription>(
      'refresh_web_push',
      REFRESH,
      valuesOf(owner, subscription),
    );
    return rows[0] ?? null;
  }

  /** Removes the oldest pending ones for one with this endpoint; false if the limit of the account leaves no room. */
  async makeRoom(
    transaction: Transaction,
    userId: number,
    endpoint: string,
    limit: number,
  ): Promise<boolean> {
    await transaction.query('make_room_for_web_push', MAKE_ROOM, [userId, endpoint, limit]);
    const { count } = await queryRow<{ count: number }>(
      transaction,
      'count_other_web_push',
      COUNT_OTHERS,
      [userId, endpoint],
    );
    return count < limit;
  }

  /** Stores a subscription, in place of one with its endpoint, as pending; resolves with its id. `confirmation` is sealed. */
  async store(
    transaction: Transaction,
    owner: AccountKey,
    subscription: NewSubscription,
    confirmation: Buffer,
  ): Promise<number> {
    const values = [...valuesOf(owner, subscription), confirmation];
    const { id } = await queryRow<{ id: number }>(transaction, 'store_web_push', STORE, values);
    return id;
  }

  /** The sealed token of a subscription of an account; null for an unknown and for a late one. */
  async confirmationOf({ userId, keyGeneration }: AccountKey, id: number): Promise<Buffer | null> {
    const rows = await this.database.query<{ confirmation: Buffer }>(
      'web_push_confirmation',
      CONFIRMATION,
      [id, userId, keyGeneration],
    );
    return rows[0]?.confirmation ?? null;
  }

  /** Makes a subscription active; false if it has got another token meanwhile. */
  async activate(
    { userId, keyGeneration }: AccountKey,
    id: number,
    confirmation: Buffer,
  ): Promise<boolean> {
    const values = [id, userId, keyGeneration, confirmation];
    return (await this.database.query('activate_web_push', ACTIVATE, values)).length > 0;
  }

  /** The subscriptions of an account by ascending id. */
  async list({ userId, keyGeneration }: AccountKey): Promise<ListedSubscription[]> {
    const values = [userId, keyGeneration];
    return this.database.query<ListedSubscription>('list_web_push', LIST, values);
  }

  /** Removes the subscriptions of an account with this id or endpoint; resolves with their ids. */
  removeOwn(userId: number, id: number, endpoint: string | null): Promise<number[]> {
    return this.#ids(this.database, 'remove_own_web_push', REMOVE_OWN, [userId, id, endpoint]);
  }

  /** Removes those of the subscriptions that are the account's, or all of them; resolves with their ids. */
  removeChosen(userId: number, ids: readonly number[] | null, session: Session): Promise<number[]> {
    return this.#ids(session, 'remove_chosen_web_push', REMOVE_CHOSEN, [userId, ids]);
  }

  /** Removes the subscriptions of API keys of an account before this generation; resolves with their ids. */
  removeOlder(transaction: Transaction, userId: number, keyGeneration: number): Promise<number[]> {
    const values = [userId, keyGeneration];
    return this.#ids(transaction, 'remove_older_web_push', REMOVE_OLDER, values);
  }

  /**
   * Stores answers of push services, and removes dead subscriptions of all accounts, unless they were registered again since;
   * resolves with the number of those.
   */
  async apply(transaction: Transaction, changes: readonly SubscriptionChange[]): Promise<number> {
    // All workers lock subscriptions in the same order.
    const answers = changes
      .flatMap((change) => (change.kind === 'dead' ? [] : change))
      .toSorted((one, other) => one.id - other.id);
    if (answers.length > 0) {
      await transaction.query('remember_web_push_answers', REMEMBER, [
        answers.map(({ id }) => id),
        answers.map(({ kind }) => kind),
      ]);
    }
    const dead = changes
      .flatMap((change) => (change.kind === 'dead' ? change : []))
      .toSorted((one, other) => (one.endpoint < other.endpoint ? -1 : 1));
    if (dead.length === 0) return 0;
    const removed = await this.#ids(transaction, 'remove_dead_web_push', REMOVE_DEAD, [
      dead.map(({ endpoint }) => endpoint),
      dead.map(({ vapidKeyId }) => vapidKeyId),
      dead.map(({ since }) => since),
    ]);
    return removed.length;
  }

  /** Removes some of the late ones of all accounts; resolves with their number. */
  async removeAllLate(limit: number): Promise<number> {
    const values = [limit];
    return (await this.database.query('remove_all_late_web_push', REMOVE_ALL_LATE, values)).length;
  }

  async #ids(
    session: Session,
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<number[]> {
    const rows = await session.query<{ id: number }>(name, text, values);
    return rows.map(({ id }) => id);
  }
}

const valuesOf = (
  { userId, keyGeneration }: AccountKey,
  { endpoint, kind, p256dh, auth, vapidKeyId }: NewSubscription,
): unknown[] => [userId, keyGeneration, endpoint, kind, p256dh, auth, vapidKeyId];
