export { IdempotencyKeyTrimmer } from './idempotency-key-trimmer.js';
export { IdempotencyKeyRepository, type IdempotentRequest } from './idempotency-key.repository.js';
export { IdempotencyModule } from './idempotency.module.js';
export { IdempotentExecutor, requestDigest } from './idempotent-executor.js';
