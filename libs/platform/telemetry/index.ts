export { Distribution } from '#platform/core';
export { Metrics } from './metrics.js';
export { observeProgram, type PoolState } from './observe-program.js';
export { observeTables, type TableSize } from './observe-tables.js';
export { observeRequests, traceRequests } from './observe-requests.js';
export { isTracing, queueTelemetry, startTracing, stopTracing } from './tracing.js';
export { TelemetryModule } from './telemetry.module.js';
export {
  currentTraceParent,
  type EndSpan,
  linkOfCurrentSpan,
  type LinkSpan,
  startSpan,
  withSpan,
} from './with-span.js';
