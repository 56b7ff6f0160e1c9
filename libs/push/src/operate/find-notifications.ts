import { Injectable } from '@nestjs/common';
import type { NotificationHistory } from './notification-history.js';
import { NotificationHistoryRepository } from './notification-history.repository.js';

/** Which notifications are asked about. */
export type NotificationQuery =
  | { readonly notificationId: string }
  | { readonly userId: number }
  | { readonly deviceId: number }
  /** The first twelve hexadecimal digits of the SHA-256 of a token, as logs show them. */
  | { readonly fingerprint: string };

/** Answers what has happened to notifications. */
@Injectable()
export class FindNotifications {
  constructor(private readonly histories: NotificationHistoryRepository) {}

  /**
   * The newest `limit` notifications, each with what has come of it on the devices that were asked about,
   * a hundred of them at most. None where nothing is known of it: what ended is kept for `PUSH_HISTORY_DAYS`.
   *
   * A device or a token that is registered is found by its account; one that is not takes a look through
   * the whole ledger, which the database may break off: then this rejects.
   */
  async execute(query: NotificationQuery, limit: number): Promise<NotificationHistory[]> {
    if ('notificationId' in query) return this.histories.byId(query.notificationId);
    if ('userId' in query) return this.histories.byUser(query.userId, limit);
    if ('deviceId' in query) return this.#ofDevice(query.deviceId, limit);
    return this.#ofToken(query.fingerprint, limit);
  }

  async #ofDevice(deviceId: number, limit: number): Promise<NotificationHistory[]> {
    const known = await this.histories.knownDevice(deviceId);
    return known.length > 0
      ? this.histories.byKnownDevices(known, null, limit)
      : this.histories.byGoneDevice(deviceId, limit);
  }

  async #ofToken(fingerprint: string, limit: number): Promise<NotificationHistory[]> {
    const known = await this.histories.knownDevicesOf(fingerprint);
    return known.length > 0
      ? this.histories.byKnownDevices(known, fingerprint, limit)
      : this.histories.byGoneFingerprint(fingerprint, limit);
  }
}
