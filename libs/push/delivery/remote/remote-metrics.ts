import { Inject, Injectable } from '@nestjs/common';
import { platforms } from '#platform/contracts';
import { CLOCK, type Clock } from '#platform/core';
import { Metrics } from '#platform/telemetry';
import type { RemoteClaim, RemoteRecord } from '#push/remotes';

const LATENCY_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

/** Counts the deliveries of remote servers, summed up over all of them: labels have to stay few. */
@Injectable()
export class RemoteMetrics {
  readonly #ended;
  readonly #retried;
  readonly #latency;

  constructor(
    metrics: Metrics,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#ended = metrics.counter({
      name: 'carillon_push_service_ended_total',
      help: 'Deliveries of remote servers by how they ended.',
      labels: ['platform', 'state'],
    });
    this.#retried = metrics.counter({
      name: 'carillon_push_service_retried_total',
      help: 'Attempts for remote servers to be repeated.',
      labels: ['platform'],
    });
    this.#latency = metrics.histogram({
      name: 'carillon_push_service_latency_seconds',
      help: 'From the acceptance of a delivery of a remote server to its end.',
      labels: ['platform'],
      bucketSeconds: LATENCY_SECONDS,
    });
    for (const platform of platforms) {
      this.#retried.add({ platform }, 0);
      this.#ended.add({ platform, state: 'delivered' }, 0);
    }
  }

  recorded(
    { platform, acceptedAt }: Pick<RemoteClaim, 'platform' | 'acceptedAt'>,
    { state }: Pick<RemoteRecord, 'state'>,
  ): void {
    if (state === 'pending') return this.#retried.add({ platform });
    this.#ended.add({ platform, state });
    this.#latency.observe({ platform }, Math.max(0, this.clock() - acceptedAt) / 1000);
  }
}
