import type { DeliveryState, NotificationKind, Platform, PushLane } from '#contracts';

/** A delivery that something happened to. */
export interface ObservedDelivery {
  readonly platform: Platform;
  readonly kind: NotificationKind;
  /** The APNs topic; null for FCM. */
  readonly appId: string | null;
  /** When the notification was accepted, in UNIX milliseconds. */
  readonly acceptedAt: number;
}

/** Hears what happens to notifications. Its methods return at once, cost no round trip and never throw. */
export interface PushObserver {
  /** Deliveries were written down and are on their way. */
  accepted(platform: Platform, kind: NotificationKind, lane: PushLane, deliveries: number): void;
  /** A delivery ended. */
  ended(delivery: ObservedDelivery, state: Exclude<DeliveryState, 'pending'>): void;
  /** An attempt failed and will be repeated; `reason` is the provider's or the transport's. */
  retried(delivery: ObservedDelivery, reason: string): void;
  /** Devices were removed because their token is dead. */
  pruned(platform: Platform, devices: number): void;
  /** Deliveries wait for the gate of their platform; no attempt was made. */
  held(platform: Platform, deliveries: number): void;
}

/** DI token of the PushObserver. */
export const PUSH_OBSERVER = Symbol('PushObserver');
