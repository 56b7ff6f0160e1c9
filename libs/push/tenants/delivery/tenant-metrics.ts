import { Injectable, Optional } from '@nestjs/common';
import { phonePlatforms } from '#push/jobs';
import { type Clock, systemClock } from '#platform/core';
import { Metrics } from '#platform/telemetry';
import { boundedLabel, OutcomeCounter } from '#push/observability';
import type { TenantClaim, TenantRecord } from './tenant-delivery.repository.js';

const LATENCY_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

/** Counts the deliveries of remote servers, summed up over all of them: labels have to stay few. */
@Injectable()
export class TenantMetrics {
  readonly #ended;
  readonly #rejected;
  readonly #retried;
  readonly #latency;
  readonly #reason = boundedLabel();

  constructor(
    metrics: Metrics,
    private readonly outcomes: OutcomeCounter,
    @Optional() private readonly clock: Clock = systemClock,
  ) {
    this.#ended = metrics.counter({
      name: 'carillon_push_service_ended_total',
      help: 'Deliveries of remote servers by how they ended.',
      labels: ['platform', 'state'],
    });
    this.#rejected = metrics.counter({
      name: 'carillon_push_service_rejected_total',
      help: 'Deliveries of remote servers that a provider refused, or that were given up.',
      labels: ['platform', 'reason'],
    });
    this.#retried = metrics.counter({
      name: 'carillon_push_service_retried_total',
      help: 'Attempts for remote servers to be repeated.',
      labels: ['platform', 'reason'],
    });
    this.#latency = metrics.histogram({
      name: 'carillon_push_service_latency_seconds',
      help: 'From the acceptance of a delivery of a remote server to its end.',
      labels: ['platform'],
      bucketSeconds: LATENCY_SECONDS,
    });
    for (const platform of phonePlatforms) {
      for (const state of ['delivered', 'expired'] as const)
        this.#ended.add({ platform, state }, 0);
    }
  }

  recorded(
    { platform, acceptedAt }: Pick<TenantClaim, 'platform' | 'acceptedAt'>,
    { state, reason }: Pick<TenantRecord, 'state' | 'reason'>,
  ): void {
    this.outcomes.ofServers(platform, state === 'pending' ? 'retried' : state);
    // A delivered push may have a reason of its own, which is no failure.
    const labels = () => ({ platform, reason: this.#reason(reason ?? '') });
    if (state === 'pending') return this.#retried.add(labels());
    if (state === 'rejected') this.#rejected.add(labels());
    this.#ended.add({ platform, state });
    this.#latency.observe({ platform }, Math.max(0, this.clock() - acceptedAt) / 1000);
  }
}
