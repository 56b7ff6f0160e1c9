export { LimitsModule } from './limits.module.js';
export { LocalCounter } from './local-counter.js';
export { RateLimits, type RateLimitRules } from './rate-limits.js';
export { RateLimitsModule } from './rate-limits.module.js';
