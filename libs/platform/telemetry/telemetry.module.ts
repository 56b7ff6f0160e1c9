import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from './metrics.js';
import { stopTracing } from './tracing.js';

/** Exports the last spans when the program stops. */
@Injectable()
class TracingStop implements OnApplicationShutdown {
  onApplicationShutdown(): Promise<void> {
    return stopTracing();
  }
}

/** Provides the Metrics of the program. */
@Module({ providers: [Metrics, TracingStop], exports: [Metrics] })
export class TelemetryModule {}
