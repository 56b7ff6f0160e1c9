export { boundedLabel } from './bounded-label.rules.js';
export { ConfiguredProviders } from './configured-providers.js';
export { InFlightPushes, type TrackedAttempt } from './in-flight-pushes.js';
export { OutcomeCounter } from './outcome-counter.js';
export { PushObserveModule, workerObservers } from './observe.module.js';
export { PipelineReader, type PipelineReport, type QueueStatus } from './pipeline-reader.js';
export { PushActivityStore } from './push-activity.store.js';
export {
  type PendingDeliveries,
  type PhoneCount,
  PushBacklog,
  type RetriedDeliveries,
} from './push-backlog.js';
export { CompositePushObserver, PUSH_OBSERVER, type PushObserver } from './push-observer.js';
export { type BreakerReport, type WorkerReport } from './worker-report.js';
export { REPORTED_SETTINGS, type ReportedSettings } from './worker-reports.js';
