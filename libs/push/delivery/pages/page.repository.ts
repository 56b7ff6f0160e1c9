import { Inject, Injectable } from '@nestjs/common';
import { batchedLists, batchedWithRetry, groupBy } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import { ClientTokens, PUSH_TARGETS } from '#push/devices';
import { accountsOf, DEVICES_PER_PAGE, isOpenOf, MAX_BLOCKING_ATTEMPTS } from '#push/notifications';
import type { Platform } from '#push/jobs';
import { PUSH_SERVICE, type PushService } from '#push/tokens';
import { addressColumns, addressJoins, type AddressRow } from '../address.sql.js';
import { IS_ON_ITS_WAY } from '../delivery.sql.js';
import { LEASE_MS } from '../delivery-lease.js';
import { MAX_OPEN_MS, type PageClosing } from './open-page.js';

/** The facts of a page, at its claim. Times are in UNIX milliseconds, by the clock of PostgreSQL. */
export interface PageRow {
  readonly id: string;
  /** Of a notification that all deliveries belong to; null if each account has its own. */
  readonly notificationId: string | null;
  readonly platform: Platform;
  readonly content: unknown;
  readonly sequence: number;
  readonly acceptedAt: number;
  readonly databaseNow: number;
  readonly dueAt: number;
  readonly traceParent: string | null;
  readonly isExpired: boolean;
  /** Whether it waits for earlier pages with the same devices. */
  readonly isBehind: boolean;
  /** Whether a worker had claimed it before, whose lease is over. */
  readonly isAbandoned: boolean;
  /** Whether this claim has leased it. */
  readonly isLeased: boolean;
  readonly userIds: readonly number[];
  readonly deviceIds: readonly number[];
  readonly states: string;
  readonly realm: { readonly id: number; readonly name: string; readonly subdomain: string };
}

/** The address of a delivery of a leased page. */
export interface PlaceRow extends Omit<AddressRow, 'subscription'> {
  /** Beginning with 1. */
  readonly place: number;
  /** In UNIX milliseconds; null if it waits for no earlier delivery to the device. */
  readonly behind_until_ms: number | null;
}

/** A claimed page. */
export interface ClaimedPage {
  readonly page: PageRow;
  /** Empty unless it was leased. */
  readonly places: readonly PlaceRow[];
}

type ClaimRow = PlaceRow & { readonly page: PageRow | null; readonly page_id: string };

const ms = (time: string): string => `extract(epoch FROM ${time}) * 1000`;

/** An earlier page that a worker has claimed is closed within this time, unless the worker has died. */
const CLOSING_SECONDS = MAX_OPEN_MS / 1000 + 1;

// A page waits for earlier pages with the same devices if they are closed soon, or if all its devices wait. Otherwise those that wait
// for an earlier page or an earlier delivery get rows of their own, and do not hold up the others. All workers lock in the same order, so
// there are no deadlocks. Pages are looked up by their keys, and earlier ones by their accounts: with old statistics the planner
// would read all open ones.
const CLAIM = `
  WITH asked AS MATERIALIZED (
    SELECT page.* FROM (SELECT DISTINCT id FROM unnest($1::uuid[]) AS id ORDER BY id) AS given
    CROSS JOIN LATERAL (SELECT * FROM push_pages WHERE id = given.id LIMIT 1 FOR UPDATE) AS page
    WHERE page.is_open
  ), judged AS MATERIALIZED (
    SELECT asked.*, earlier.device_ids AS behind,
      blocked.is_blocked OR coalesce(earlier.are_closing OR asked.device_ids <@ earlier.device_ids, false)
        AS is_behind
    FROM asked
    CROSS JOIN LATERAL (
      -- In a backlog many earlier pages have all these devices: one says enough.
      SELECT EXISTS (
        SELECT FROM push_pages page
        WHERE ${isOpenOf('page')} AND ${accountsOf('page')} && ${accountsOf('asked')}
          AND page.sequence < asked.sequence AND asked.device_ids <@ page.device_ids
      ) AS is_blocked
    ) AS blocked
    CROSS JOIN LATERAL (
      SELECT array_agg(DISTINCT listed.id) AS device_ids,
        bool_and(page.is_claimed AND page.due_at > now() + make_interval(secs => $2 - ${CLOSING_SECONDS})) AS are_closing
      FROM push_pages page CROSS JOIN LATERAL unnest(page.device_ids) AS listed (id)
      WHERE NOT blocked.is_blocked AND ${isOpenOf('page')} AND ${accountsOf('page')} && ${accountsOf('asked')}
        AND page.sequence < asked.sequence AND listed.id = ANY(asked.device_ids)
    ) AS earlier
  ), leased AS (
    UPDATE push_pages page SET due_at = now() + make_interval(secs => $2), is_claimed = true
    FROM judged
    WHERE page.id = judged.id AND NOT judged.is_behind AND NOT judged.is_claimed
      AND judged.due_at <= now()::timestamptz(3)
    RETURNING page.id
  ), sent AS MATERIALIZED (
    SELECT judged.id, judged.realm_id, judged.platform, judged.sequence, judged.content, judged.behind,
      realm.id IS NOT NULL AND realm.deactivated_at IS NULL AS is_active,
      realm.requires_encrypted_push AS is_encrypted_only
    FROM leased JOIN judged USING (id) LEFT JOIN realms realm ON realm.id = judged.realm_id
  ), addressed AS (
    SELECT place.id, place.place,
      ${addressColumns({
        deviceId: 'place.device_id',
        platform: 'place.platform',
        isActive: 'account.is_active AND place.is_active',
        keyGeneration: 'account.key_generation',
        isEncryptedOnly: 'place.is_encrypted_only',
        relays: '$4',
        isConfirmation: 'false',
        expiresAt: 'NULL::timestamptz',
      })},
      coalesce((
        SELECT CASE WHEN earlier.reason IS NULL THEN now() ELSE earlier.due_at END
        FROM push_deliveries earlier
        WHERE earlier.device_id = place.device_id AND earlier.state = 'pending'
          AND earlier.sequence < place.sequence AND (
            earlier.attempts < $3 AND NOT earlier.may_wait
            -- A message is notified again once it has been removed: the phone would show it twice.
            OR earlier.may_wait AND (earlier.attempts < $3 OR ${IS_ON_ITS_WAY}) AND (
              SELECT content -> 'messageIds' FROM push_notifications
              WHERE id = earlier.notification_id LIMIT 1
            ) @> (place.content -> 'messageId')
          )
        ORDER BY earlier.sequence LIMIT 1
      ), CASE WHEN place.device_id = ANY(place.behind) THEN now() END) AS behind_until
    FROM (
      SELECT sent.*, listed.place::int, listed.user_id, listed.device_id
      FROM sent JOIN judged USING (id)
      CROSS JOIN LATERAL unnest(judged.user_ids, judged.device_ids)
        WITH ORDINALITY AS listed (user_id, device_id, place)
      -- LIMIT cuts nothing off: it makes the planner expect few rows, and look up each by its key.
      LIMIT ${DEVICES_PER_PAGE} * cardinality($1::uuid[])
    ) AS place
    LEFT JOIN users account ON account.id = place.user_id
    ${addressJoins('place.device_id', 'place.platform')}
  )
  SELECT judged.id AS page_id, jsonb_build_object(
      'id', judged.id, 'notificationId', judged.notification_id, 'platform', judged.platform,
      'content', judged.content, 'sequence', judged.sequence, 'acceptedAt', ${ms('judged.accepted_at')},
      'databaseNow', ${ms('now()')}, 'dueAt', ${ms('judged.due_at')}, 'traceParent', judged.trace_parent,
      'isExpired', judged.expires_at <= now(), 'isBehind', judged.is_behind,
      'isAbandoned', judged.is_claimed AND judged.due_at <= now(), 'isLeased', leased.id IS NOT NULL,
      'userIds', judged.user_ids, 'deviceIds', judged.device_ids, 'states', judged.states,
      'realm', jsonb_build_object('id', realm.id, 'name', realm.name, 'subdomain', realm.subdomain)
    ) AS page,
    NULL::int AS place, NULL::boolean AS is_addressable, NULL AS token, NULL AS app_id, NULL AS environment,
    NULL AS fcm_target, NULL::boolean AS wants_badge,
    NULL::int AS key_generation, NULL::bigint AS push_key_id, NULL::bytea AS push_key_sealed,
    NULL::float8 AS behind_until_ms
  FROM judged
  LEFT JOIN realms realm ON realm.id = judged.realm_id
  LEFT JOIN leased ON leased.id = judged.id
  UNION ALL
  SELECT id, NULL, place, is_addressable, token, app_id, environment, fcm_target, wants_badge, key_generation,
    push_key_id, push_key_sealed, ${ms('behind_until')}::float8
  FROM addressed`;

// Rows for places that did not end in an ordinary way: those being sent keep the lease of the page. All workers lock pages in the same
// order. LIMIT cuts nothing off: each page is looked up by its key, and not in the index of open ones.
const CLOSE = `
  WITH closed AS (
    UPDATE push_pages page SET states = closing.states, is_open = false, updated_at = now()
    FROM (
      SELECT id, states, true AS is_open FROM unnest($1::uuid[], $2::text[]) AS given (id, states)
      ORDER BY id LIMIT cardinality($1::uuid[])
    ) AS closing
    WHERE page.id = closing.id AND page.is_open = closing.is_open
    RETURNING page.*
  ), own AS (
    SELECT closed.*, place.*, closed.user_ids[place.place] AS user_id,
      closed.device_ids[place.place] AS device_id
    FROM unnest($3::uuid[], $4::int[], $5::uuid[], $6::boolean[], $7::float8[])
      AS place (page_id, place, own_id, may_be_shown, due_seconds)
    JOIN closed ON closed.id = place.page_id
  ), notification AS (
    INSERT INTO push_notifications (
      id, realm_id, user_id, kind, content, accepted_at, expires_at, trace_parent
    )
    SELECT DISTINCT ON (own_id) own_id, realm_id, user_id, content ->> 'kind', content, accepted_at,
      expires_at, trace_parent
    FROM own WHERE notification_id IS NULL
  ), delivery AS (
    INSERT INTO push_deliveries (
      notification_id, device_id, accepted_at, realm_id, platform, sequence, due_at, may_be_shown, fingerprint
    )
    SELECT own_id, device_id, accepted_at, realm_id, platform, sequence,
      CASE WHEN due_seconds IS NULL THEN due_at ELSE now() + make_interval(secs => due_seconds) END,
      may_be_shown,
      (SELECT fingerprint FROM ${PUSH_TARGETS} AS target WHERE target.id = own.device_id LIMIT 1)
    FROM own
  )
  SELECT id FROM closed`;

// Environments of Apple that attempts have found out. All workers lock devices in the same order.
const LEARN_ENVIRONMENTS = `
  UPDATE push_devices device SET environment = learnt.environment
  FROM (
    SELECT DISTINCT ON (device_id) * FROM unnest($1::int[], $2::text[]) AS given (device_id, environment)
    ORDER BY device_id LIMIT cardinality($1::int[])
  ) AS learnt
  WHERE device.id = learnt.device_id AND device.environment IS DISTINCT FROM learnt.environment`;

/** Claims and closes pages. */
@Injectable()
export class PageRepository {
  /**
   * Leases the pages that can be sent now, and reads the others; null for those that are closed or unknown, and for further calls
   * with the same page. Calls of the same moment share a statement.
   */
  readonly claim = batchedLists((ids: readonly string[]) => this.#claimAll(ids));

  /** See ClosePage. Calls of the same moment share a statement. Retries through a short outage of PostgreSQL. */
  readonly close = batchedWithRetry(
    (closings: readonly PageClosing[]) => this.#closeAll(closings),
    () => undefined,
  );

  constructor(
    private readonly database: Database,
    private readonly clientTokens: ClientTokens,
    @Inject(LEASE_MS) private readonly leaseMs: number,
    @Inject(PUSH_SERVICE) private readonly service: Pick<PushService, 'hasTokens'>,
  ) {}

  async #claimAll(ids: readonly string[]): Promise<(ClaimedPage | null)[]> {
    const rows = await this.database.query<ClaimRow>('claim_pages', CLAIM, [
      ids,
      this.leaseMs / 1000,
      MAX_BLOCKING_ATTEMPTS,
      !this.service.hasTokens,
    ]);
    const pages = new Map<string, { page: PageRow; places: PlaceRow[] }>();
    for (const { page, page_id: id } of rows) {
      if (page !== null) pages.set(id, { page, places: [] });
    }
    for (const row of rows) {
      if (row.page === null) pages.get(row.page_id)?.places.push(row);
    }
    // Two jobs may have the same page: one of them gets it.
    return ids.map((id) => {
      const page = pages.get(id) ?? null;
      pages.delete(id);
      return page;
    });
  }

  async #closeAll(all: readonly PageClosing[]): Promise<boolean[]> {
    // A page that was taken for abandoned may be closed twice at the same moment.
    const closings = [...groupBy(all, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
    const learnt = closings.flatMap((closing) => closing.learnt);
    const closed =
      learnt.length === 0
        ? await this.#write(closings, this.database)
        : await this.database.transaction(async (transaction) => {
            const written = await this.#write(closings, transaction);
            await this.#learn(learnt, transaction);
            return written;
          });
    return all.map((closing) => closings.includes(closing) && closed.has(closing.id));
  }

  async #learn(learnt: PageClosing['learnt'], transaction: Transaction): Promise<void> {
    const known = learnt.flatMap(({ deviceId, environment }) =>
      environment === null ? [] : { deviceId, environment },
    );
    await transaction.query('learn_environments', LEARN_ENVIRONMENTS, [
      known.map(({ deviceId }) => deviceId),
      known.map(({ environment }) => environment),
    ]);
    await this.clientTokens.learn(known, transaction);
  }

  async #write(
    closings: readonly PageClosing[],
    session: Pick<Transaction, 'query'>,
  ): Promise<ReadonlySet<string>> {
    const own = closings.flatMap(({ id, own: places }) =>
      places.map((place) => ({ id, ...place })),
    );
    const rows = await session.query<{ id: string }>('close_pages', CLOSE, [
      closings.map(({ id }) => id),
      closings.map(({ states }) => states),
      own.map(({ id }) => id),
      own.map(({ place }) => place),
      own.map(({ notificationId }) => notificationId),
      own.map(({ mayBeShown }) => mayBeShown),
      own.map(({ dueInSeconds }) => dueInSeconds),
    ]);
    return new Set(rows.map(({ id }) => id));
  }
}
