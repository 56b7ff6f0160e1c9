import { Inject, Injectable } from '@nestjs/common';
import { queueNames } from '#contracts';
import { CLOCK, type Clock } from '#core';
import { Metrics } from '#telemetry';
import { PushActivityStore } from './push-activity.store.js';

/** Tells Prometheus whether somebody works: also where no worker is left to be asked. */
@Injectable()
export class WorkerMetrics {
  constructor(metrics: Metrics, activity: PushActivityStore, @Inject(CLOCK) clock: Clock) {
    metrics.gauge(
      {
        name: 'carillon_push_queue_workers',
        help: 'Workers of the last 15 seconds that take from a queue; the same from every process.',
        labels: ['queue'],
      },
      async () => {
        const workers = await activity.workers(clock());
        return queueNames.map((queue) => ({
          labels: { queue },
          value: workers.filter(({ queues }) => queues.includes(queue)).length,
        }));
      },
    );
  }
}
