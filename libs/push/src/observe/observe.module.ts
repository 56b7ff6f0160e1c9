import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { CLOCK, systemClock } from '#core';
import { openRedis } from '#redis';
import { TelemetryModule } from '#telemetry';
import { BacklogMetrics } from './backlog-metrics.js';
import { GateMetrics } from './gate-metrics.js';
import { OutcomeCounts } from './outcome-counts.js';
import { PUSH_ACTIVITY_PLACE, PushActivityStore } from './push-activity.store.js';
import { PushBacklog } from './push-backlog.js';
import { PushBacklogRepository } from './push-backlog.repository.js';
import { PushMetrics } from './push-metrics.js';
import { PUSH_OBSERVER, type PushObserver } from './push-observer.js';
import { PushObservers } from './push-observers.js';
import { PushOverview } from './push-overview.js';
import { SendingWatch } from './sending-watch.js';
import { WorkerMetrics } from './worker-metrics.js';
import { WorkerReports } from './worker-reports.js';

/** What tells operators of the push pipeline; needs DatabaseModule and QueueModule. Once a program. */
@Module({})
export class PushObserveModule {
  static with(options: { readonly redisUrl: string; readonly prefix: string }): DynamicModule {
    const { redisUrl, prefix } = options;
    return {
      module: PushObserveModule,
      imports: [TelemetryModule],
      providers: [
        BacklogMetrics,
        OutcomeCounts,
        PushActivityStore,
        PushBacklog,
        PushBacklogRepository,
        PushMetrics,
        PushOverview,
        WorkerMetrics,
        { provide: CLOCK, useValue: systemClock },
        {
          provide: PUSH_ACTIVITY_PLACE,
          useFactory: () => ({ redis: openRedis(redisUrl, 'push-activity'), prefix }),
        },
        {
          provide: PUSH_OBSERVER,
          inject: [PushMetrics, OutcomeCounts],
          useFactory: (...observers: PushObserver[]) => new PushObservers(observers),
        },
      ],
      exports: [PUSH_OBSERVER, PushActivityStore, PushBacklog, PushOverview, TelemetryModule],
    };
  }
}

/**
 * What a worker tells of itself beyond that, to be provided by the module that has its gates: needs
 * PushObserveModule, GATE_STATUSES and CONSUMED_QUEUES.
 */
export const workerObservers: readonly Provider[] = [GateMetrics, SendingWatch, WorkerReports];
