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
