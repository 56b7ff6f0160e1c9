import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { DeliveryState, NotificationKind, Platform } from '#push/jobs';
import { groupBy } from '#platform/core';
import { Database } from '#platform/database';
import { PUSH_TARGETS } from '#push/devices';
import {
  BY_ID,
  BY_KNOWN_DEVICES,
  BY_MESSAGE,
  BY_REMOVED_DEVICE,
  BY_REMOVED_FINGERPRINT,
  BY_USER,
  MAX_DELIVERIES,
} from './notification-history.sql.js';

/** An attempt that did not end a delivery. */
interface PastAttempt {
  readonly at: Date;
  /** As the provider or the transport spells it. */
  readonly reason: string;
  /** When the next one was to be made; null when that is not known. */
  readonly next: Date | null;
}

/** The delivery of a notification to one device. */
export interface DeliveryHistory {
  readonly deviceId: number;
  readonly platform: Platform;
  /** The APNs topic, or the host of a push service; null for FCM, and when the device was removed. */
  readonly appId: string | null;
  /** Of the token; null when the device was removed before anything was sent. */
  readonly fingerprint: string | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** The provider's last reason, as it spells it. */
  readonly reason: string | null;
  /** The newest last. */
  readonly history: readonly PastAttempt[];
  /** When it is tried again at the earliest; null when it has ended. */
  readonly dueAt: Date | null;
  /** Null while it is pending. */
  readonly endedAt: Date | null;
}

/** A notification and its deliveries, without the text of messages. */
export interface NotificationHistory {
  readonly id: string;
  readonly kind: NotificationKind;
  readonly userId: number;
  /** The messages that it shows or removes; none for a test. */
  readonly messageIds: readonly number[];
  readonly acceptedAt: Date;
  /** Not sent from then on. */
  readonly expiresAt: Date;
  /** The number of deliveries in each state; states without deliveries are left out. */
  readonly states: Readonly<Partial<Record<DeliveryState, number>>>;
  /** By ascending device id, at most a hundred. */
  readonly deliveries: readonly DeliveryHistory[];
  /** What phones have told of it, at most a hundred. */
  readonly receipts: readonly NotificationReceipt[];
}

/** What a phone has told of a notification, by its own clock. */
export interface NotificationReceipt {
  /** Null where the app does not say on which device it is. */
  readonly deviceId: number | null;
  readonly receivedAt: Date | null;
  readonly displayedAt: Date | null;
  readonly openedAt: Date | null;
  readonly dismissedAt: Date | null;
}

/** A device and its account. */
interface KnownDevice {
  readonly userId: number;
  readonly deviceId: number;
}

interface HistoryRow {
  id: string;
  kind: NotificationKind;
  user_id: number;
  message_ids: number[];
  accepted_at: Date;
  expires_at: Date;
  states: Partial<Record<DeliveryState, number>>;
  device_id: number | null;
  platform: Platform;
  app_id: string | null;
  fingerprint: string | null;
  state: DeliveryState;
  attempts: number;
  reason: string | null;
  history: unknown;
  due_at: Date;
  updated_at: Date;
}

/** The stored past of a delivery; times are ISO 8601. */
const past = z.array(
  z.object({ at: z.coerce.date(), reason: z.string(), next: z.coerce.date().nullish() }),
);

const KNOWN_DEVICE = `SELECT user_id, id FROM ${PUSH_TARGETS} AS target WHERE id = $1`;

// The fingerprint is the beginning of the digest, by which devices are ordered in their index.
const KNOWN_BY_FINGERPRINT = `
  SELECT user_id, id FROM push_devices
  WHERE platform IN ('apns', 'fcm')
    AND token_digest BETWEEN decode($1, 'hex') AND decode($1, 'hex') || decode(repeat('ff', 26), 'hex')
  UNION ALL
  SELECT user_id, id FROM web_push_subscriptions
  WHERE endpoint_digest BETWEEN decode($1, 'hex') AND decode($1, 'hex') || decode(repeat('ff', 26), 'hex')
  LIMIT $2`;

const MAX_DEVICES_OF_A_TOKEN = 1000;

const RECEIPTS = `
  SELECT notification.id, receipt.* FROM unnest($1::uuid[]) AS notification (id)
  CROSS JOIN LATERAL (
    SELECT nullif(device_id, 0) AS "deviceId", received_at AS "receivedAt", displayed_at AS "displayedAt",
      opened_at AS "openedAt", dismissed_at AS "dismissedAt"
    FROM push_receipts WHERE notification_id = notification.id
    ORDER BY device_id LIMIT ${MAX_DELIVERIES}
  ) AS receipt`;

/** Reads notifications with their deliveries. */
@Injectable()
export class NotificationHistoryRepository {
  constructor(private readonly database: Database) {}

  /** The notification with this id; empty for an unknown one. */
  async byId(notificationId: string): Promise<NotificationHistory[]> {
    return this.#read('history_by_id', BY_ID, [notificationId]);
  }

  /** The notifications to an account, the newest first, as in all methods below. */
  async byUser(userId: number, limit: number): Promise<NotificationHistory[]> {
    return this.#read('history_by_user', BY_USER, [userId, limit]);
  }

  /** Those that have shown a message to an account, or have removed it. */
  async byMessage(
    userId: number,
    messageId: number,
    limit: number,
  ): Promise<NotificationHistory[]> {
    return this.#read('history_by_message', BY_MESSAGE, [userId, messageId, limit]);
  }

  /** The notifications to registered devices, or to the fingerprint, found by the accounts of the devices. */
  async byKnownDevices(
    devices: readonly KnownDevice[],
    fingerprint: string | null,
    limit: number,
  ): Promise<NotificationHistory[]> {
    return this.#read('history_by_known_devices', BY_KNOWN_DEVICES, [
      [...new Set(devices.map(({ userId }) => userId))],
      devices.map(({ deviceId }) => deviceId),
      fingerprint,
      limit,
    ]);
  }

  /** The notifications to a removed device. */
  async byRemovedDevice(deviceId: number, limit: number): Promise<NotificationHistory[]> {
    return this.#read('history_by_removed_device', BY_REMOVED_DEVICE, [deviceId, limit]);
  }

  /** The notifications to a removed token. */
  async byRemovedFingerprint(fingerprint: string, limit: number): Promise<NotificationHistory[]> {
    return this.#read('history_by_removed_fingerprint', BY_REMOVED_FINGERPRINT, [
      fingerprint,
      limit,
    ]);
  }

  /** The registered device with this id; empty for an unknown one. */
  async knownDevice(deviceId: number): Promise<KnownDevice[]> {
    return this.#devices('known_device', KNOWN_DEVICE, [deviceId]);
  }

  /** The devices of a token: one for each account that has registered it. */
  async knownDevicesOf(fingerprint: string): Promise<KnownDevice[]> {
    return this.#devices('known_by_fingerprint', KNOWN_BY_FINGERPRINT, [
      fingerprint,
      MAX_DEVICES_OF_A_TOKEN,
    ]);
  }

  async #devices(name: string, text: string, values: readonly unknown[]): Promise<KnownDevice[]> {
    const rows = await this.database.query<{ user_id: number; id: number }>(name, text, values);
    return rows.map((row) => ({ userId: row.user_id, deviceId: row.id }));
  }

  async #read(
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<NotificationHistory[]> {
    const rows = await this.database.query<HistoryRow>(name, text, values);
    const found = [...groupBy(rows, ({ id }) => id).values()].flatMap(toHistory);
    const receipts = await this.#receiptsOf(found);
    return found.map((one) => ({ ...one, receipts: receipts.get(one.id) ?? [] }));
  }

  async #receiptsOf(
    notifications: readonly { readonly id: string }[],
  ): Promise<ReadonlyMap<string, readonly NotificationReceipt[]>> {
    const rows = await this.database.query<NotificationReceipt & { readonly id: string }>(
      'receipts_of_notifications',
      RECEIPTS,
      [notifications.map(({ id }) => id)],
    );
    const byNotification = groupBy(rows, ({ id }) => id);
    return new Map(
      [...byNotification].map(([id, of]) => [id, of.map(({ id: _id, ...receipt }) => receipt)]),
    );
  }
}

function toHistory(rows: readonly HistoryRow[]): Omit<NotificationHistory, 'receipts'>[] {
  const [first] = rows;
  if (first === undefined) return [];
  return [
    {
      id: first.id,
      kind: first.kind,
      userId: first.user_id,
      messageIds: first.message_ids,
      acceptedAt: first.accepted_at,
      expiresAt: first.expires_at,
      states: first.states,
      deliveries: rows.flatMap(toDelivery),
    },
  ];
}

function toDelivery(row: HistoryRow): DeliveryHistory[] {
  if (row.device_id === null) return [];
  const isPending = row.state === 'pending';
  return [
    {
      deviceId: row.device_id,
      platform: row.platform,
      appId: row.app_id,
      fingerprint: row.fingerprint,
      state: row.state,
      attempts: row.attempts,
      reason: row.reason,
      history: pastOf(row.history),
      dueAt: isPending ? row.due_at : null,
      endedAt: isPending ? null : row.updated_at,
    },
  ];
}

/** Entries that cannot be parsed are left out, so that the operator sees the rest. */
function pastOf(stored: unknown): PastAttempt[] {
  const parsed = past.safeParse(stored ?? []);
  if (!parsed.success) return [];
  return parsed.data.map(({ at, reason, next }) => ({ at, reason, next: next ?? null }));
}
