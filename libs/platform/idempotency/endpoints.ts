export { idempotencyKey } from './idempotency-key.js';
