export { LimitsModule, RateLimitsModule } from './rate-limits.module.js';
export { LocalCounter } from './local-counter.js';
export { type RateLimitRules, RateLimits } from './rate-limits.js';
