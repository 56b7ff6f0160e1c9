import { Injectable } from '@nestjs/common';
import type { DeliveryState, NotificationKind, Platform } from '#push/jobs';
import { batched, groupBy } from '#platform/core';
import { Database } from '#platform/database';
import type { IdempotentRequest } from '#platform/idempotency';
import { PUSH_TARGETS } from '#push/devices';
import type { NotificationContent } from './notification.js';
import { pagedCtes } from './pages/page-acceptance.repository.js';
import { LEAST_PAGE } from './pages/page.rules.js';

/** A notification to accept. */
interface NewNotification {
  /** A UUID of version 7, made by the caller. */
  readonly id: string;
  readonly userId: number;
  /** Of the key that signed in: a key that was replaced sends no notification. */
  readonly keyGeneration: number;
  readonly to: NotifiedDevices;
  readonly content: NotificationContent;
  /** By the clock of PostgreSQL, like the claims: those of gateways and operators may be wrong. */
  readonly timeToLiveMs: number;
  /** W3C Trace Context of the request, if it is traced. */
  readonly traceParent: string | null;
  /** Recognises a repeated request; null when the client sent no Idempotency-Key. */
  readonly requestKey: RequestKey | null;
}

/** The devices of an account to notify. */
export interface NotifiedDevices {
  /** `client`: client devices, which get encrypted content; `plain`: phones that get plain text; `web`: subscriptions of Web Push. */
  readonly kind: 'client' | 'plain' | 'web' | 'all';
  /** Only the device with this token. */
  readonly token?: string | null;
  /** Only this device. */
  readonly deviceId?: number | null;
}

/** An Idempotency-Key, and a digest of the request that it came with. */
export type RequestKey = Pick<IdempotentRequest, 'key' | 'digest'>;

/** Deliveries of one accepted notification on one platform, or of a page, to be put into a queue. */
export interface AcceptedDeliveries {
  /** The id of the page, if it is one. */
  readonly notificationId: string;
  readonly kind: NotificationKind;
  /** Null for a page of several accounts. */
  readonly userId: number | null;
  readonly realmId: number;
  readonly platform: Platform;
  readonly deviceIds: readonly number[];
  readonly isPage?: boolean | undefined;
}

/** The number of devices of all these deliveries. */
export const devicesOf = (deliveries: readonly AcceptedDeliveries[]): number =>
  deliveries.reduce((sum, { deviceIds }) => sum + deviceIds.length, 0);

/** AcceptedDeliveries, as a statement returns them. */
export interface AcceptedDeliveriesRow {
  readonly notification_id: string;
  readonly kind: NotificationKind;
  readonly user_id: number | null;
  readonly realm_id: number;
  readonly platform: Platform;
  readonly device_ids: readonly number[];
  readonly is_page?: boolean;
}

/** Maps a row of a statement that returns AcceptedDeliveriesRow. */
export const toAcceptedDeliveries = (row: AcceptedDeliveriesRow): AcceptedDeliveries => ({
  notificationId: row.notification_id,
  kind: row.kind,
  userId: row.user_id,
  realmId: row.realm_id,
  platform: row.platform,
  deviceIds: row.device_ids,
  isPage: row.is_page,
});

/** The result of accepting a notification: nothing is written for `no_device`. */
export type Acceptance =
  | { readonly kind: 'accepted'; readonly deliveries: readonly AcceptedDeliveries[] }
  | { readonly kind: 'no_device' }
  /** The same request was accepted before. */
  | { readonly kind: 'repeated'; readonly notificationId: string }
  /** A different request came with the same key. */
  | { readonly kind: 'key_reused' };

interface AcceptanceRow extends AcceptedDeliveriesRow {
  /** Null for deliveries with rows of their own. */
  readonly page_id: string | null;
}

/** Nothing was written, because pages would cost less. */
interface ManyRow {
  readonly notification_id: null;
}

interface EarlierRow {
  user_id: number;
  key: string;
  digest: Buffer;
  notification_id: string;
}

interface AcceptanceParts {
  /** Which of the devices get rows of their own. */
  readonly single: string;
  /** Whether the statement writes anything. */
  readonly isWritten: string;
  readonly ctes?: string;
  readonly others: string;
}

/** SQL: whether a device is of a kind of NotifiedDevices. */
const IS_OF_KIND = `(
  asked.device_kind = 'all' OR device.is_encrypted IS NOT DISTINCT FROM
    CASE asked.device_kind WHEN 'client' THEN true WHEN 'plain' THEN false END
)`;

// Only devices of the account's current key count. APNs tokens are stored in lower case. Of requests with the
// same key the first is accepted, also within one statement. Deliveries are written in the order of the devices,
// so that deliveries that are claimed together lie on the same pages of the table.
const acceptSql = ({ single, isWritten, ctes = '', others }: AcceptanceParts): string => `
  WITH asked AS (
    SELECT * FROM unnest(
      $1::uuid[], $2::int[], $3::int[], $4::text[], $5::text[], $6::text[], $7::float8[],
      $8::text[], $9::text[], $10::bytea[], $11::text[], $12::int[]
    ) AS asked (
      id, user_id, key_generation, token, kind, content, lives_seconds, trace_parent, idempotency_key,
      digest, device_kind, device_id
    )
  ), reached AS (
    SELECT asked.id AS notification_id, asked.idempotency_key, account.id AS user_id, account.realm_id,
      device.id AS device_id, device.platform, asked.digest, device.fingerprint
    FROM asked
    JOIN users account
      ON account.id = asked.user_id AND account.key_generation = asked.key_generation
      AND account.is_active
    JOIN ${PUSH_TARGETS} device
      ON device.user_id = account.id AND device.key_generation = account.key_generation
      AND ${IS_OF_KIND}
      AND (asked.device_id IS NULL OR device.id = asked.device_id)
      AND (
        asked.token IS NULL OR device.token = asked.token
        OR (device.platform = 'apns' AND device.token = lower(asked.token))
      )
    ORDER BY device.id
  ), extent AS MATERIALIZED (
    SELECT coalesce(max(devices) < ${LEAST_PAGE}, true) AS are_few
    FROM (SELECT count(*) AS devices FROM reached GROUP BY notification_id) AS of_notification
  ), remembered AS (
    INSERT INTO idempotency_keys (user_id, key, digest, answer)
    SELECT DISTINCT ON (user_id, idempotency_key)
      user_id, idempotency_key, digest, jsonb_build_object('notificationId', notification_id)
    FROM reached WHERE idempotency_key IS NOT NULL AND ${isWritten}
    ORDER BY user_id, idempotency_key, notification_id
    ON CONFLICT (user_id, key) DO NOTHING
    RETURNING (answer ->> 'notificationId')::uuid AS notification_id
  ), target AS (
    SELECT * FROM reached
    WHERE ${isWritten}
      AND (idempotency_key IS NULL OR notification_id IN (SELECT notification_id FROM remembered))
  ), notification AS (
    INSERT INTO push_notifications (id, realm_id, user_id, kind, content, expires_at, trace_parent)
    SELECT id, realm_id, user_id, kind, content::jsonb, now() + make_interval(secs => lives_seconds),
      trace_parent
    FROM asked JOIN (SELECT DISTINCT notification_id, realm_id FROM target) AS wanted
      ON wanted.notification_id = asked.id
  ), ${ctes} delivery AS (
    INSERT INTO push_deliveries (notification_id, device_id, realm_id, platform, fingerprint)
    SELECT notification_id, device_id, realm_id, platform, fingerprint FROM ${single}
  )
  SELECT accepted.notification_id, asked.kind, asked.user_id, accepted.realm_id, accepted.platform,
    accepted.device_ids, NULL::uuid AS page_id
  FROM (
    SELECT notification_id, platform, min(realm_id) AS realm_id, array_agg(device_id) AS device_ids
    FROM ${single} GROUP BY notification_id, platform
  ) AS accepted
  JOIN asked ON asked.id = accepted.notification_id
  UNION ALL
  ${others}`;

// Accepts into rows. If a notification reaches enough devices for a page, it writes nothing, and returns one row without an id.
const ACCEPT = acceptSql({
  single: 'target',
  isWritten: '(SELECT are_few FROM extent)',
  others: 'SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM extent WHERE NOT are_few',
});

const ACCEPT_IN_PAGES = acceptSql({
  single: 'single',
  isWritten: 'true',
  ctes: `${pagedCtes('target', {
    together: 'notification_id, platform',
    notificationId: 'notification_id',
    content: '(SELECT content FROM asked WHERE id = notification_id)::jsonb',
    expiresAt:
      'now() + make_interval(secs => (SELECT lives_seconds FROM asked WHERE id = notification_id))',
    traceParent: '(SELECT trace_parent FROM asked WHERE id = notification_id)',
  })},`,
  others: `
    SELECT paged.notification_id, asked.kind, asked.user_id, paged.realm_id, paged.platform, paged.device_ids, paged.id
    FROM paged JOIN asked ON asked.id = paged.notification_id`,
});

const EARLIER = `
  SELECT user_id, key, digest, answer ->> 'notificationId' AS notification_id
  FROM idempotency_keys
  WHERE (user_id, key) IN (SELECT * FROM unnest($1::int[], $2::text[]))`;

const STATES = `SELECT state FROM push_deliveries WHERE notification_id = $1`;

/** Accepts notifications into the ledger. */
@Injectable()
export class AcceptanceRepository {
  /**
   * Writes a notification with a delivery for each of its devices. Calls of the same moment share one
   * statement.
   */
  readonly accept = batched((items: readonly NewNotification[]) => this.#acceptAll(items));

  constructor(private readonly database: Database) {}

  /** The states of a notification's deliveries. */
  async statesOf(notificationId: string): Promise<DeliveryState[]> {
    const rows = await this.database.query<{ state: DeliveryState }>('delivery_states', STATES, [
      notificationId,
    ]);
    return rows.map((row) => row.state);
  }

  async #acceptAll(items: readonly NewNotification[]): Promise<Acceptance[]> {
    const values = [
      items.map((item) => item.id),
      items.map((item) => item.userId),
      items.map((item) => item.keyGeneration),
      items.map(({ to }) => to.token ?? null),
      items.map((item) => item.content.kind),
      items.map((item) => JSON.stringify(item.content)),
      items.map((item) => item.timeToLiveMs / 1000),
      items.map((item) => item.traceParent),
      items.map((item) => item.requestKey?.key ?? null),
      items.map((item) => item.requestKey?.digest ?? null),
      items.map(({ to }) => to.kind),
      items.map(({ to }) => to.deviceId ?? null),
    ];
    let rows = await this.database.query<AcceptanceRow | ManyRow>(
      'accept_notifications',
      ACCEPT,
      values,
    );
    if (rows[0]?.notification_id === null)
      rows = await this.database.query('accept_in_pages', ACCEPT_IN_PAGES, values);
    const accepted = rows.filter((row) => row.notification_id !== null);
    const targets = groupBy(accepted, (row) => row.notification_id);
    const earlier = await this.#earlier(items.filter(({ id }) => !targets.has(id)));
    return items.map((item) => {
      const reached = targets.get(item.id);
      if (reached !== undefined) {
        return { kind: 'accepted', deliveries: reached.map(toQueued) };
      }
      return repetitionOf(item, earlier.get(keyOf(item.userId, item.requestKey?.key ?? '')));
    });
  }

  /** The first requests with the keys of these, by account and key. */
  async #earlier(items: readonly NewNotification[]): Promise<ReadonlyMap<string, EarlierRow>> {
    const repeated = items.filter(({ requestKey }) => requestKey !== null);
    if (repeated.length === 0) return new Map();
    const rows = await this.database.query<EarlierRow>('earlier_acceptances', EARLIER, [
      repeated.map(({ userId }) => userId),
      repeated.map(({ requestKey }) => requestKey?.key),
    ]);
    return new Map(rows.map((row) => [keyOf(row.user_id, row.key), row]));
  }
}

/** The result of a notification that was not accepted: of a repetition, or without a device. */
function repetitionOf(
  { requestKey }: NewNotification,
  earlier: EarlierRow | undefined,
): Acceptance {
  if (requestKey === null || earlier === undefined) return { kind: 'no_device' };
  return earlier.digest.equals(requestKey.digest)
    ? { kind: 'repeated', notificationId: earlier.notification_id }
    : { kind: 'key_reused' };
}

/** A page is queued by its own id. */
const toQueued = (row: AcceptanceRow): AcceptedDeliveries =>
  toAcceptedDeliveries(
    row.page_id === null ? row : { ...row, notification_id: row.page_id, is_page: true },
  );

const keyOf = (userId: number, key: string): string => `${userId} ${key}`;
