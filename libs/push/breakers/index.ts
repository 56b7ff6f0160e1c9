export { breakerName, CircuitBreakers, type CredentialStatus } from './circuit-breakers.js';
export type { BreakerCause, QuorumKey } from './provider-signals.rules.js';
export { isAlarmOfApp } from './prune-alarm-key.rules.js';
export { type AnsweredDevice, type AppPruneAlarm, TokenPruneGuard } from './token-prune-guard.js';
