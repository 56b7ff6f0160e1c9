export { type Clock, CLOCK, systemClock } from './clock.js';
export { createLogger } from './create-logger.js';
export { Deadline } from './deadline.js';
export { Drain } from './drain.js';
export { isDiskFull } from './disk-full.rules.js';
export { errorCode, errorText } from './error-text.js';
export { groupBy } from './group-by.js';
export {
  checkHealth,
  type HealthCheck,
  type HealthReport,
  type MetricsPage,
  neededAtStart,
  startHealthServer,
} from './health.js';
export { listenFault } from './listen-fault.js';
export { networkOf } from './network-of.js';
export { isOutage } from './outage.rules.js';
export { realmHost, realmUrl } from './realm-url.js';
export { runProgram } from './run-program.js';
export { Sampler } from './sampler.js';
export { deriveKey, openSealedText, sealText } from './sealed-text.js';
export { uuidV7 } from './uuid-v7.js';
export { defectCounts, SparedFailures } from './spared-failures.js';
export { VERSION } from './version.js';
export { withinDeadline } from './within-deadline.js';
