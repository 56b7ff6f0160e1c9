export { batched, batchedLists, batchedPerTurn, batchedWithRetry } from './batching/batch.js';
export { OwnerSlots } from './batching/owner-slots.js';
export { filterInSlices, mapInSlices, nextSlice, TimeSlice } from './batching/time-slice.js';
export { atMost } from './caching/at-most.js';
export { cachedCall } from './caching/cached-call.js';
export { lazily } from './caching/lazily.js';
export { mapMaybe, type MaybePromise } from './caching/maybe-promise.js';
export { addToCount } from './collections/add-to-count.js';
export { groupBy } from './collections/group-by.js';
export { slicesOf } from './collections/slices-of.js';
export { type Indexed, TransientSet } from './collections/transient-set.js';
export {
  errorCode,
  errorCodes,
  errorText,
  isConflict,
  isDiskFull,
  isOutage,
  isStatementTimeout,
  isStoreDown,
} from './failures/errors.js';
export { defectCounts, Sampler, ToleratedFailures } from './failures/tolerated-failures.js';
export { nameUuid } from './ids/name-uuid.js';
export { uuidV7 } from './ids/uuid-v7.js';
export { Distribution } from './measuring/distribution.js';
export {
  type EndedStoreCall,
  observeFailedStoreCall,
  observeStoreCall,
  setStoreCallListener,
  storeCallSeconds,
} from './measuring/store-calls.js';
export { CollectionAtRest } from './program/collection-at-rest.js';
export { createLogger, setLogContext } from './program/logger.js';
export {
  checkHealth,
  Drain,
  type HealthCheck,
  type HealthReport,
  neededAtStart,
  startHealthServer,
} from './program/health.js';
export { rethrowListenError, runProgram } from './program/run-program.js';
export { containerShortage, warnOfLittleMemory } from './program/memory-limits.js';
export { VERSION } from './program/version.js';
export { type Backoff, backoffMs, type Jitter, withJitter } from './scheduling/backoff.js';
export { isWithinClockTolerance, type Clock, systemClock } from './scheduling/clock.js';
export { Deadline, withinDeadline } from './scheduling/deadline.js';
export { LeasedTask } from './scheduling/leased-task.js';
export { hasSchemaHook, type OnSchemaReady } from './scheduling/on-schema-ready.js';
export { PeriodicService } from './scheduling/periodic-service.js';
export { PeriodicTask, taskFailureCounts } from './scheduling/periodic-task.js';
export { WorkInFlight } from './scheduling/work-in-flight.js';
export { compress, compressParts } from './text/compression.js';
export { counted } from './text/counted.js';
export { escapedHtml } from './text/escaped-html.rules.js';
export { networkOf, realmHost, realmUrl } from './text/addresses.js';
export { parseJsonOrUndefined } from './text/parse-json.js';
export { deriveKey, openSealedText, sealText } from './text/sealed-text.js';
export { shortened } from './text/shortened.rules.js';
export { shortList } from './text/short-list.js';
