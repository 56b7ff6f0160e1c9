import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from './metrics/metrics.js';
import { stopTracing } from './tracing/tracing.js';

/** Sends the last spans when the program stops. */
@Injectable()
class TracingStop implements OnApplicationShutdown {
  onApplicationShutdown(): Promise<void> {
    return stopTracing();
  }
}

/** Offers the program's Metrics. Imported by as many modules as want it, it is still one. */
@Module({ providers: [Metrics, TracingStop], exports: [Metrics] })
export class TelemetryModule {}
