import { Injectable, Optional } from '@nestjs/common';
import { platforms } from '#push/jobs';
import { type Clock, systemClock } from '#platform/core';
import { Metrics } from '#platform/telemetry';
import { LedgerSweep } from './ledger-sweep.js';
import { Sweeper } from './sweeper.js';

/** Exports the passes of the sweep of this process to Prometheus. */
@Injectable()
export class SweepMetrics {
  constructor(
    metrics: Metrics,
    ledger: LedgerSweep,
    sweeper: Sweeper,
    @Optional() clock: Clock = systemClock,
  ) {
    const startedAt = clock();
    metrics.tally(
      {
        name: 'carillon_push_requeued_total',
        help: 'Deliveries whose jobs the sweep has added again, because Redis had lost them.',
        labels: ['platform'],
      },
      () =>
        platforms.map((platform) => ({
          labels: { platform },
          value: ledger.requeued[platform],
        })),
    );
    metrics.gauge(
      {
        name: 'carillon_push_sweep_age_seconds',
        help: 'How long ago the sweep of this process last completed a pass.',
        labels: [],
      },
      () => [{ labels: {}, value: (clock() - (sweeper.completedAt ?? startedAt)) / 1000 }],
    );
  }
}
