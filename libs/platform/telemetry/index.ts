export {
  type CountMetric,
  Distribution,
  type DurationMetric,
  type Labels,
  Metrics,
  type Sample,
} from './metrics.js';
export { observeProgram, type PoolState } from './observe-program.js';
export { observeRequests, traceRequests } from './observe-requests.js';
export type { TracingOptions } from './open-provider.js';
export { isTracing, queueTelemetry, startTracing, stopTracing } from './tracing.js';
export { TelemetryModule } from './telemetry.module.js';
export {
  currentTraceParent,
  type EndSpan,
  linkOfCurrentSpan,
  type LinkSpan,
  type OpenSpan,
  type SpanAttributes,
  type SpanOptions,
  startSpan,
  withSpan,
} from './with-span.js';
