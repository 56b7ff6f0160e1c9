import type { DeliveryState, NotificationKind, Platform } from '#contracts';

/** An attempt that did not end a delivery. */
export interface PastAttempt {
  readonly at: Date;
  /** As the provider or the transport spells it. */
  readonly reason: string;
  /** When the next one was to be made; null when that is not known. */
  readonly next: Date | null;
}

/** What has come of a notification on one device so far. */
export interface DeliveryHistory {
  readonly deviceId: number;
  readonly platform: Platform;
  /** The APNs topic; null for FCM, and when the device is gone. */
  readonly appId: string | null;
  /** Tells one token from another; null when the device was gone before it was sent to. */
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

/** What has come of one notification so far. It never holds what a message says. */
export interface NotificationHistory {
  readonly id: string;
  readonly kind: NotificationKind;
  readonly userId: number;
  readonly acceptedAt: Date;
  /** Not sent from then on. */
  readonly expiresAt: Date;
  /** How many of its deliveries are in each state; states without any are left out. */
  readonly states: Readonly<Partial<Record<DeliveryState, number>>>;
  /** By ascending device id; the first hundred, where there are more. */
  readonly deliveries: readonly DeliveryHistory[];
}
