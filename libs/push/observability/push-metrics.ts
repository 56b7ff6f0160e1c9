import { Injectable, Optional } from '@nestjs/common';
import {
  type DeliveryState,
  type NotificationKind,
  notificationKinds,
  type Platform,
  platforms,
  type PushLane,
} from '#push/jobs';
import { type Clock, systemClock } from '#platform/core';
import { Metrics } from '#platform/telemetry';
import { boundedLabel } from './bounded-label.rules.js';
import type { ObservedDelivery, PushObserver } from './push-observer.js';

const LATENCY_SECONDS = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 28_800,
];
/** The final states that a provider's answer causes. */
const answered: ReadonlySet<DeliveryState> = new Set(['delivered', 'dead_token', 'rejected']);

type Ended = Exclude<DeliveryState, 'pending'>;

/** Counts the events of the pipeline for Prometheus; docs/observability.md describes each metric. */
@Injectable()
export class PushMetrics implements PushObserver {
  readonly #accepted;
  readonly #ended;
  readonly #sent;
  readonly #expired;
  readonly #deadLettered;
  readonly #retried;
  readonly #pruned;
  readonly #held;
  readonly #latency;
  readonly #reason = boundedLabel();

  constructor(
    metrics: Metrics,
    @Optional() private readonly clock: Clock = systemClock,
  ) {
    const count = <Label extends string>(what: string, help: string, ...labels: Label[]) =>
      metrics.counter({ name: `carillon_push_${what}_total`, help, labels });
    this.#accepted = count('accepted', 'Accepted deliveries.', 'platform', 'kind', 'lane');
    this.#ended = count(
      'ended',
      'Ended deliveries by their final state.',
      'platform',
      'kind',
      'state',
    );
    this.#sent = count('sent', 'Deliveries that the provider accepted.', 'platform', 'kind');
    this.#expired = count('expired', 'Deliveries dropped as too old.', 'platform', 'kind');
    this.#deadLettered = count(
      'dead_lettered',
      'Deliveries whose message was refused, or that were given up.',
      'platform',
      'kind',
    );
    this.#retried = count('retried', 'Attempts to be repeated.', 'platform', 'reason');
    this.#pruned = count('pruned', 'Devices removed because their token is dead.', 'platform');
    this.#held = count(
      'held',
      'Attempts that an open circuit breaker rejected; their deliveries wait.',
      'platform',
    );
    this.#latency = metrics.histogram({
      name: 'carillon_push_latency_seconds',
      help: 'From acceptance to the answer of the provider that ended a delivery.',
      labels: ['platform', 'kind'],
      bucketSeconds: LATENCY_SECONDS,
    });
    this.#startAtZero();
  }

  /** Starts counters at 0: `increase()` misses the first sample of a new series. */
  #startAtZero(): void {
    for (const platform of platforms) {
      for (const kind of notificationKinds) {
        for (const count of [this.#sent, this.#expired, this.#deadLettered]) {
          count.add({ platform, kind }, 0);
        }
      }
      for (const count of [this.#pruned, this.#held]) count.add({ platform }, 0);
    }
  }

  accepted(platform: Platform, kind: NotificationKind, lane: PushLane, deliveries: number): void {
    this.#accepted.add({ platform, kind, lane }, deliveries);
  }

  ended({ platform, kind, acceptedAt }: ObservedDelivery, state: Ended): void {
    this.#ended.add({ platform, kind, state });
    if (state === 'delivered') this.#sent.add({ platform, kind });
    if (state === 'expired') this.#expired.add({ platform, kind });
    if (state === 'rejected') this.#deadLettered.add({ platform, kind });
    if (!answered.has(state)) return;
    // The clocks of two hosts may disagree.
    const waitedMs = Math.max(0, this.clock() - acceptedAt);
    this.#latency.observe({ platform, kind }, waitedMs / 1000);
  }

  retried({ platform }: ObservedDelivery, reason: string): void {
    this.#retried.add({ platform, reason: this.#reason(reason) });
  }

  pruned(platform: Platform, devices: number): void {
    this.#pruned.add({ platform }, devices);
  }

  delayedByBreaker(platform: Platform, deliveries: number): void {
    this.#held.add({ platform }, deliveries);
  }
}
