import { Injectable } from '@nestjs/common';
import { batchedWithRetry } from '#platform/core';
import { Database } from '#platform/database';
import { PUSH_TARGETS } from '#push/devices';
import type { EndedDelivery, FeedbackEvent } from './feedback.rules.js';

/** A worker posts the events that it has taken within this time. */
const LEASE_SECONDS = 60;

// What the worker does not know is looked up by keys: a claim may end a delivery before it has read its rows.
const ADD = `
  INSERT INTO push_feedback (
    id, notification_id, platform, kind, app_id, outcome, reason, attempts, realm_id, user_id, device
  )
  SELECT made.id, made.notification_id, made.platform, made.kind, made.app_id, made.outcome, made.reason,
    made.attempts, account.realm_id, account.id, device.fingerprint
  FROM unnest(
    $1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[]
  ) AS made (id, notification_id, device_id, platform, kind, app_id, outcome, reason, attempts)
  LEFT JOIN LATERAL (
    SELECT user_id, fingerprint FROM ${PUSH_TARGETS} AS target WHERE target.id = made.device_id LIMIT 1
  ) AS device ON true
  -- On a server that relays, the negative id of an account stands for all its devices.
  LEFT JOIN users account ON account.id = coalesce(device.user_id, nullif(greatest(-made.device_id, 0), 0))
  -- An outcome that is recorded again after a crash.
  ON CONFLICT (id) DO NOTHING`;

const LEASE = `
  UPDATE push_feedback SET due_at = now() + make_interval(secs => ${LEASE_SECONDS})
  WHERE id = ANY(ARRAY(
    SELECT id FROM push_feedback WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
  ))
  RETURNING id, floor(extract(epoch FROM ended_at))::float8 AS ended_at, realm_id AS organisation_id,
    notification_id, kind, platform, app_id, outcome, reason, attempts, device, user_id`;

const GIVE_BACK = `UPDATE push_feedback SET due_at = now() WHERE id = ANY($1::uuid[])`;

const REMOVE = `DELETE FROM push_feedback WHERE id = ANY($1::uuid[])`;

const FORGET = `
  DELETE FROM push_feedback WHERE id = ANY(ARRAY(
    SELECT id FROM push_feedback WHERE ended_at < now() - make_interval(secs => $1 / 1000.0)
    ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ))
  RETURNING id`;

/** A stored event, with its account. */
export type StoredEvent = Required<Omit<FeedbackEvent, 'user_id'>> & {
  readonly user_id: number | null;
};

/** Stores ended deliveries until the webhook has taken them. */
@Injectable()
export class FeedbackRepository {
  /** Stores a delivery, once. Calls of the same moment share a statement. */
  readonly add = batchedWithRetry(
    (ended: readonly EndedDelivery[]) => this.#add(ended),
    // The record of the same deliveries reports the outage.
    () => undefined,
  );

  constructor(private readonly database: Database) {}

  /** Takes events, at most `limit`: other workers do not get them for a minute. */
  lease(limit: number): Promise<StoredEvent[]> {
    return this.database.query<StoredEvent>('lease_push_feedback', LEASE, [limit]);
  }

  /** Other workers may take the events at once. */
  async giveBack(ids: readonly string[]): Promise<void> {
    await this.database.query('give_back_push_feedback', GIVE_BACK, [ids]);
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.database.query('remove_push_feedback', REMOVE, [ids]);
  }

  /** Removes events that are older than `ageMs`, at most `limit`; resolves with their number. */
  async forget(ageMs: number, limit: number): Promise<number> {
    return (await this.database.query('forget_push_feedback', FORGET, [ageMs, limit])).length;
  }

  async #add(ended: readonly EndedDelivery[]): Promise<undefined[]> {
    await this.database.query('add_push_feedback', ADD, [
      ended.map(({ id }) => id),
      ended.map(({ notificationId }) => notificationId),
      ended.map(({ deviceId }) => deviceId),
      ended.map(({ platform }) => platform),
      ended.map(({ kind }) => kind),
      ended.map(({ appId }) => appId),
      ended.map(({ state }) => state),
      ended.map(({ reason }) => reason),
      ended.map(({ attempts }) => attempts),
    ]);
    return ended.map(() => undefined);
  }
}
