export { addToCount } from './add-to-count.js';
export { atMost } from './at-most.js';
export { type Backoff, backoffMs, type Jitter, withJitter } from './backoff.js';
export { batched, batchedLists, batchedPerTurn, batchedWithRetry } from './batch.js';
export { cachedCall } from './cached-call.js';
export { CollectionAtRest } from './collection-at-rest.js';
export { compress } from './compression.js';
export { isWithinClockTolerance, type Clock, systemClock } from './clock.js';
export { createLogger, setLogContext } from './logger.js';
export { counted } from './counted.js';
export { Deadline, withinDeadline } from './deadline.js';
export { escapedHtml } from './escaped-html.rules.js';
export {
  errorCode,
  errorCodes,
  errorText,
  isDiskFull,
  isOutage,
  isStatementTimeout,
} from './errors.js';
export {
  checkHealth,
  Drain,
  type HealthCheck,
  type HealthReport,
  neededAtStart,
  startHealthServer,
} from './health.js';
export { groupBy } from './group-by.js';
export { lazily } from './lazily.js';
export { rethrowListenError, runProgram } from './run-program.js';
export { warnOfLittleMemory } from './memory-limits.js';
export { nameUuid } from './name-uuid.js';
export { networkOf, realmHost, realmUrl } from './addresses.js';
export { LeasedTask } from './leased-task.js';
export { mapMaybe, type MaybePromise } from './maybe-promise.js';
export { OwnerSlots } from './owner-slots.js';
export { parseJsonOrUndefined } from './parse-json.js';
export { hasSchemaHook, type OnSchemaReady } from './on-schema-ready.js';
export { PeriodicService } from './periodic-service.js';
export { PeriodicTask, taskFailureCounts } from './periodic-task.js';
export { Distribution } from './distribution.js';
export {
  type EndedStoreCall,
  observeFailedStoreCall,
  observeStoreCall,
  setStoreCallListener,
  storeCallSeconds,
} from './store-calls.js';
export { defectCounts, Sampler, ToleratedFailures } from './tolerated-failures.js';
export { deriveKey, openSealedText, sealText } from './sealed-text.js';
export { slicesOf } from './slices-of.js';
export { shortened } from './shortened.rules.js';
export { filterInSlices, mapInSlices, TimeSlice } from './time-slice.js';
export { shortList } from './short-list.js';
export { type Indexed, TransientSet } from './transient-set.js';
export { uuidV7 } from './uuid-v7.js';
export { VERSION } from './version.js';
export { WorkInFlight } from './work-in-flight.js';
