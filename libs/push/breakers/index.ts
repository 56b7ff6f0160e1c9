export type { Permit } from './circuit-breaker.rules.js';
export {
  breakerName,
  CircuitBreaker,
  CircuitBreakers,
  type CredentialStatus,
} from './circuit-breakers.js';
export { type Outcome, outcomeOf } from './outcome-policy.rules.js';
export type { BreakerCause } from './provider-signals.rules.js';
export { type AppPruneAlarm, TokenPruneGuard } from './token-prune-guard.js';
