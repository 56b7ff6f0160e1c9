import { Injectable } from '@nestjs/common';
import { type Platform, platforms } from '#push/jobs';
import { cachedCall } from '#platform/core';
import { Database } from '#platform/database';

/** The pending deliveries of a platform. */
export interface PendingDeliveries {
  readonly platform: Platform;
  readonly count: number;
  /** How long ago the oldest of them was accepted. */
  readonly oldestMs: number;
  /** Those of them whose last attempt failed; null when there are none. */
  readonly retried: RetriedDeliveries | null;
}

/** Deliveries that wait for a retry. */
export interface RetriedDeliveries {
  readonly count: number;
  /** The most frequent reason, in the provider's or the transport's words. */
  readonly reason: string;
  /** How long ago the oldest of them was accepted. */
  readonly oldestMs: number;
}

interface PendingRow {
  platform: Platform;
  count: number;
  oldest_ms: number;
  retried: number;
  reason: string | null;
  retried_oldest_ms: number | null;
}

// The lowest sequence is close to the oldest: the sequence is in the order of acceptance.
const PENDING = `
  WITH pending AS (
    SELECT platform, sum(deliveries)::int AS count, min(sequence) AS first,
      count(reason)::int AS retried, mode() WITHIN GROUP (ORDER BY reason) AS reason,
      min(sequence) FILTER (WHERE reason IS NOT NULL) AS first_retried
    FROM (
      SELECT platform, 1 AS deliveries, sequence, reason FROM push_deliveries WHERE state = 'pending'
      UNION ALL
      SELECT platform, cardinality(device_ids), sequence, NULL FROM push_pages WHERE is_open
    ) AS waiting
    GROUP BY platform
  ), aged AS (
    SELECT delivery.sequence,
      (extract(epoch FROM now() - notification.accepted_at) * 1000)::float8 AS age_ms
    FROM push_deliveries delivery
    JOIN push_notifications notification ON notification.id = delivery.notification_id
    WHERE delivery.state = 'pending'
      AND delivery.sequence > 0 AND delivery.sequence IN (SELECT unnest(ARRAY[first, first_retried]) FROM pending)
    UNION
    SELECT sequence, (extract(epoch FROM now() - accepted_at) * 1000)::float8
    FROM push_pages WHERE is_open AND sequence IN (SELECT first FROM pending)
  )
  SELECT pending.platform, pending.count, oldest.age_ms AS oldest_ms,
    pending.retried, pending.reason, oldest_retried.age_ms AS retried_oldest_ms
  FROM pending
  JOIN LATERAL (SELECT max(age_ms) AS age_ms FROM aged WHERE sequence = pending.first) AS oldest ON true
  LEFT JOIN LATERAL (
    SELECT max(age_ms) AS age_ms FROM aged WHERE sequence = pending.first_retried
  ) AS oldest_retried ON true`;

/** Rows that wait for a worker (logouts, messages with many recipients and their removals) or an operator (dead letters). */
interface StoredRows {
  readonly outbox: { readonly rows: number; readonly oldestMs: number };
  readonly deadLetters: readonly { readonly platform: Platform; readonly letters: number }[];
}

const OUTBOX = `
  SELECT count(*)::int AS rows,
    coalesce(extract(epoch FROM now() - min(since)) * 1000, 0)::float8 AS oldest_ms
  FROM (
    SELECT created_at AS since FROM outbox
    UNION ALL SELECT progressed_at FROM push_fan_outs
    UNION ALL SELECT created_at FROM push_removal_pages
  ) AS waiting`;

const DEAD_LETTERS = `
  SELECT platform, count(*)::int AS letters FROM push_dead_letters GROUP BY platform`;

/** A phone without a registration for this time is stale: the app repeats it each month. */
const STALE_DAYS = 60;

/** The phones of this installation that notifications are sent to. */
export interface PhoneCount {
  readonly platform: Platform;
  readonly active: number;
  /** Without a registration for 60 days. */
  readonly stale: number;
}

const PHONES = `
  SELECT platform, count(*) FILTER (WHERE NOT is_stale)::int AS active,
    count(*) FILTER (WHERE is_stale)::int AS stale
  FROM (
    SELECT platform, registered_at < now() - interval '${STALE_DAYS} days' AS is_stale
    FROM push_devices
    UNION ALL
    SELECT platform, token_updated_at < now() - interval '${STALE_DAYS} days'
    FROM client_devices WHERE push_token_id IS NOT NULL AND platform IS NOT NULL
    UNION ALL
    SELECT 'web', registered_at < now() - interval '${STALE_DAYS} days'
    FROM web_push_subscriptions WHERE state = 'active'
  ) AS phones
  GROUP BY platform`;

/** The registered targets of Google. */
export type FcmTargetCounts = Readonly<Record<'fid' | 'token' | 'unknown', number>>;

// A row of an earlier release has none until its app registers again.
const FCM_TARGETS = `
  SELECT coalesce(fcm_target, 'unknown') AS target, count(*)::int AS count
  FROM (
    SELECT fcm_target FROM push_devices WHERE platform = 'fcm'
    UNION ALL
    SELECT fcm_target FROM push_registrations WHERE platform = 'fcm'
  ) AS targets
  GROUP BY 1`;

/** The accounts that hold messages back, by the cause that ends first, and those with messages that wait for a reminder. */
export type HoldingAccounts = Readonly<
  Record<'quiet_hours' | 'snoozed' | 'delayed' | 'reminder', number>
>;

const HOLDING_ACCOUNTS = `
  SELECT hold_cause AS cause, count(*)::int AS count FROM push_deferrals
  WHERE held_from_message_id IS NOT NULL GROUP BY 1
  UNION ALL
  SELECT 'reminder', count(DISTINCT user_id)::int FROM push_reminders`;

/**
 * Counts pending work, and the phones. The statements read all pending deliveries or all rows of a table, so results are cached for
 * some seconds, and longer after a slow statement.
 */
@Injectable()
export class PushBacklog {
  readonly #cachedPending;
  readonly #cachedStored;
  readonly #cachedPhones;
  readonly #cachedTargets;
  readonly #cachedHolding;

  constructor(private readonly database: Database) {
    this.#cachedPending = cachedCall({ forMs: 1500, costFactor: 20 }, () => this.#pending());
    this.#cachedStored = cachedCall({ forMs: 5000, costFactor: 20 }, () => this.#stored());
    this.#cachedPhones = cachedCall({ forMs: 60_000, costFactor: 100 }, () => this.#phones());
    this.#cachedTargets = cachedCall({ forMs: 60_000, costFactor: 100 }, () => this.#fcmTargets());
    this.#cachedHolding = cachedCall({ forMs: 60_000, costFactor: 100 }, () => this.#holding());
  }

  /** One entry for each platform with pending deliveries. Rejects when PostgreSQL is down. */
  pending(): Promise<readonly PendingDeliveries[]> {
    return this.#cachedPending();
  }

  /** The logouts and messages that wait for a worker, and the dead letters. Rejects when PostgreSQL is down. */
  stored(): Promise<StoredRows> {
    return this.#cachedStored();
  }

  /** One entry for each platform, with the counts of the last minute. Rejects when PostgreSQL is down. */
  phones(): Promise<readonly PhoneCount[]> {
    return this.#cachedPhones();
  }

  /** The installation ids and registration tokens of Google, with the counts of the last minute. Rejects when PostgreSQL is down. */
  fcmTargets(): Promise<FcmTargetCounts> {
    return this.#cachedTargets();
  }

  /** The accounts that hold messages back, with the counts of the last minute. Rejects when PostgreSQL is down. */
  holdingAccounts(): Promise<HoldingAccounts> {
    return this.#cachedHolding();
  }

  async #holding(): Promise<HoldingAccounts> {
    const rows = await this.database.query<{ cause: keyof HoldingAccounts; count: number }>(
      'count_holding_accounts',
      HOLDING_ACCOUNTS,
    );
    const counted = Object.fromEntries(rows.map(({ cause, count }) => [cause, count]));
    return { quiet_hours: 0, snoozed: 0, delayed: 0, reminder: 0, ...counted };
  }

  async #fcmTargets(): Promise<FcmTargetCounts> {
    const rows = await this.database.query<{ target: keyof FcmTargetCounts; count: number }>(
      'count_fcm_targets',
      FCM_TARGETS,
    );
    const counted = Object.fromEntries(rows.map(({ target, count }) => [target, count]));
    return { fid: 0, token: 0, unknown: 0, ...counted };
  }

  async #phones(): Promise<PhoneCount[]> {
    const rows = await this.database.query<PhoneCount>('count_phones', PHONES);
    const none = { active: 0, stale: 0 };
    return platforms.map(
      (platform) => rows.find((row) => row.platform === platform) ?? { platform, ...none },
    );
  }

  async #pending(): Promise<PendingDeliveries[]> {
    const rows = await this.database.query<PendingRow>('push_backlog', PENDING);
    return rows.map((row) => ({
      platform: row.platform,
      count: row.count,
      oldestMs: Math.max(0, row.oldest_ms),
      retried: retriedOf(row),
    }));
  }

  async #stored(): Promise<StoredRows> {
    const [[outbox], deadLetters] = await Promise.all([
      this.database.query<{ rows: number; oldest_ms: number }>('outbox_backlog', OUTBOX),
      this.database.query<{ platform: Platform; letters: number }>(
        'stored_dead_letters',
        DEAD_LETTERS,
      ),
    ]);
    return {
      outbox: { rows: outbox?.rows ?? 0, oldestMs: Math.max(0, outbox?.oldest_ms ?? 0) },
      deadLetters,
    };
  }
}

const retriedOf = ({ retried, reason, retried_oldest_ms: oldestMs }: PendingRow) =>
  reason === null ? null : { count: retried, reason, oldestMs: Math.max(0, oldestMs ?? 0) };
