export { PushKeyRepository } from './push-key.repository.js';
export { PUSH_KEY_SECRET, type PushKey, PushKeys } from './push-keys.js';
export {
  type DeadToken,
  type LearntEnvironment,
  PushRegistrationRepository,
  type RegisteredToken,
  tokenDigestOf,
} from './push-registration.repository.js';
export { DirectPushService } from './direct-push-service.js';
export {
  PUSH_SERVICE,
  type PushService,
  type RegistrationAnswer,
  type TokenRegistration,
} from './push-service.js';
export { SealedRegistrations } from './sealed-registrations.js';
export type { RemovedDevices, StoredToken } from './stored-token.js';
export type { AgedApp, OldTokens } from './token-age.js';
