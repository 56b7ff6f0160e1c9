import { Module, type Provider } from '@nestjs/common';
import { TelemetryModule } from '#platform/telemetry';
import { BreakerMetrics } from './breaker-metrics.js';
import { ConfiguredProviders } from './configured-providers.js';
import { InFlightPushes } from './in-flight-pushes.js';
import { OutcomeCounter } from './outcome-counter.js';
import { PipelineMetrics } from './pipeline-metrics.js';
import { PipelineReader } from './pipeline-reader.js';
import { PushActivityStore } from './push-activity.store.js';
import { PushBacklog } from './push-backlog.js';
import { PushMetrics } from './push-metrics.js';
import { CompositePushObserver, PUSH_OBSERVER, type PushObserver } from './push-observer.js';
import { WorkerReports } from './worker-reports.js';

/**
 * Metrics and activity of the push pipeline; needs DatabaseModule, QueueModule and RedisModule. Import it once in a program.
 */
@Module({
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
      provide: PUSH_OBSERVER,
      inject: [PushMetrics, OutcomeCounter],
      useFactory: (...observers: PushObserver[]) => new CompositePushObserver(observers),
    },
  ],
  exports: [
    ConfiguredProviders,
    OutcomeCounter,
    PUSH_OBSERVER,
    PushActivityStore,
    PushBacklog,
    PipelineReader,
    TelemetryModule,
  ],
})
export class PushObserveModule {}

/** The further observers of a worker: need PushObserveModule, CircuitBreakers, TokenPruneGuard and REPORTED_SETTINGS. */
export const workerObservers: readonly Provider[] = [BreakerMetrics, InFlightPushes, WorkerReports];
