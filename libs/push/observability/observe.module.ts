import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { openRedis } from '#platform/redis';
import { TelemetryModule } from '#platform/telemetry';
import { BreakerMetrics } from './breaker-metrics.js';
import { ConfiguredProviders } from './configured-providers.js';
import { InFlightPushes } from './in-flight-pushes.js';
import { OutcomeCounter } from './outcome-counter.js';
import { PipelineMetrics } from './pipeline-metrics.js';
import { PipelineReader } from './pipeline-reader.js';
import { PUSH_ACTIVITY_REDIS, PushActivityStore } from './push-activity.store.js';
import { PushBacklog } from './push-backlog.js';
import { PushMetrics } from './push-metrics.js';
import { CompositePushObserver, PUSH_OBSERVER, type PushObserver } from './push-observer.js';
import { WorkerReports } from './worker-reports.js';

/** Metrics and activity of the push pipeline; needs DatabaseModule and QueueModule. Import it once in a program. */
@Module({})
export class PushObserveModule {
  static with(options: { readonly redisUrl: string; readonly prefix: string }): DynamicModule {
    const { redisUrl, prefix } = options;
    return {
      module: PushObserveModule,
      imports: [TelemetryModule],
      providers: [
        ConfiguredProviders,
        OutcomeCounter,
        PipelineMetrics,
        PipelineReader,
        PushActivityStore,
        PushBacklog,
        PushMetrics,
        {
          provide: PUSH_ACTIVITY_REDIS,
          useFactory: () => ({ redis: openRedis(redisUrl, 'push-activity'), prefix }),
        },
        {
          provide: PUSH_OBSERVER,
          inject: [PushMetrics, OutcomeCounter],
          useFactory: (...observers: PushObserver[]) => new CompositePushObserver(observers),
        },
      ],
      exports: [
        ConfiguredProviders,
        PUSH_OBSERVER,
        PushActivityStore,
        PushBacklog,
        PipelineReader,
        TelemetryModule,
      ],
    };
  }
}

/** The further observers of a worker: need PushObserveModule, CircuitBreakers, TokenPruneGuard and REPORTED_SETTINGS. */
export const workerObservers: readonly Provider[] = [BreakerMetrics, InFlightPushes, WorkerReports];
