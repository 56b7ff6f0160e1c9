export { type EarlierRequest, IdempotencyKeyRepository } from './idempotency-key.repository.js';
export { IdempotencyModule } from './idempotency.module.js';
export type { KeyedRequest } from './keyed-request.js';
export { type Done, Once } from './once.js';
export { TrimKeys } from './trim-keys.js';
export { requestDigest } from './request-digest.rules.js';
