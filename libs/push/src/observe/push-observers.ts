import type { DeliveryState, NotificationKind, Platform, PushLane } from '#contracts';
import type { ObservedDelivery, PushObserver } from './push-observer.js';

/** Tells several observers. */
export class PushObservers implements PushObserver {
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

  held(platform: Platform, deliveries: number): void {
    for (const observer of this.observers) observer.held(platform, deliveries);
  }
}
