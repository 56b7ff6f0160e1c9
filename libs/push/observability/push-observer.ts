import type { DeliveryState, NotificationKind, Platform, PushLane } from '#push/jobs';

/** The delivery of an event. */
export interface ObservedDelivery {
  readonly platform: Platform;
  readonly kind: NotificationKind;
  /** The APNs topic; null for FCM. */
  readonly appId: string | null;
  /** When the notification was accepted, in UNIX milliseconds. */
  readonly acceptedAt: number;
}

/** Observes the pipeline. Its methods are synchronous, make no I/O and never throw. */
export interface PushObserver {
  /** Deliveries were accepted. */
  accepted(platform: Platform, kind: NotificationKind, lane: PushLane, deliveries: number): void;
  /** A delivery ended. */
  ended(delivery: ObservedDelivery, state: Exclude<DeliveryState, 'pending'>): void;
  /** An attempt failed and will be repeated; `reason` is the provider's or the transport's. */
  retried(delivery: ObservedDelivery, reason: string): void;
  /** Devices were removed because their token is dead. */
  pruned(platform: Platform, devices: number): void;
  /** Deliveries wait for a circuit breaker; no attempt counts. */
  delayedByBreaker(platform: Platform, deliveries: number): void;
}

/** DI token of the PushObserver. */
export const PUSH_OBSERVER = Symbol('PushObserver');

/** Forwards to several observers. */
export class CompositePushObserver implements PushObserver {
  constructor(private readonly observers: readonly PushObserver[]) {}

  accepted(platform: Platform, kind: NotificationKind, lane: PushLane, deliveries: number): void {
    for (const observer of this.observers) observer.accepted(platform, kind, lane, deliveries);
  }

  ended(delivery: ObservedDelivery, state: Exclude<DeliveryState, 'pending'>): void {
    for (const observer of this.observers) observer.ended(delivery, state);
  }

  retried(delivery: ObservedDelivery, reason: string): void {
    for (const observer of this.observers) observer.retried(delivery, reason);
  }

  pruned(platform: Platform, devices: number): void {
    for (const observer of this.observers) observer.pruned(platform, devices);
  }

  delayedByBreaker(platform: Platform, deliveries: number): void {
    for (const observer of this.observers) observer.delayedByBreaker(platform, deliveries);
  }
}
