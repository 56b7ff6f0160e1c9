import type { NotificationKind, Platform } from '#contracts';

/** Deliveries of one accepted notification on one platform, which a worker is to be woken for. */
export interface AcceptedDeliveries {
  readonly notificationId: string;
  readonly kind: NotificationKind;
  readonly userId: number;
  readonly realmId: number;
  readonly platform: Platform;
  readonly deviceIds: readonly number[];
}

/** The same as a statement returns it. */
export interface AcceptedDeliveriesRow {
  readonly notification_id: string;
  readonly kind: NotificationKind;
  readonly user_id: number;
  readonly realm_id: number;
  readonly platform: Platform;
  readonly device_ids: readonly number[];
}

export const toAcceptedDeliveries = (row: AcceptedDeliveriesRow): AcceptedDeliveries => ({
  notificationId: row.notification_id,
  kind: row.kind,
  userId: row.user_id,
  realmId: row.realm_id,
  platform: row.platform,
  deviceIds: row.device_ids,
});
