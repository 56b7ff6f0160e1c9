export { Distribution } from './metrics/distribution.js';
export {
  type CountMetric,
  type DurationMetric,
  type Labels,
  Metrics,
  type Sample,
} from './metrics/metrics.js';
export { observeRequests } from './metrics/observe-requests.js';
export { TelemetryModule } from './telemetry.module.js';
export { queueTelemetry } from './tracing/queue-telemetry.js';
export { traceRequests } from './tracing/trace-requests.js';
export { isTracing, startTracing, stopTracing } from './tracing/tracing.js';
export type { TracingOptions } from './tracing/open-provider.js';
export {
  currentTraceParent,
  type OpenSpan,
  type SpanAttributes,
  type SpanOptions,
  withSpan,
} from './tracing/with-span.js';
