export { type Clock, CLOCK, systemClock } from './clock.js';
export { createLogger } from './create-logger.js';
export { groupBy } from './group-by.js';
export { checkHealth, type HealthCheck, type HealthReport, startHealthServer } from './health.js';
export { runProgram } from './run-program.js';
