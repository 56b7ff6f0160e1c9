export { PushRevocations, REVOCATION_DEADLINE_MS } from './push-revocations.js';
export { PushRevocationsModule } from './push-revocations.module.js';
export type { PushSubject } from './revocation-topics.js';
export { RevokedPushes } from './revoked-pushes.js';
