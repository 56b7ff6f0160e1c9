export { PUSH_KEY_SECRET, type PushKey, PushKeys } from './push-keys.js';
export { PushKeyRepository } from './push-key.repository.js';
export {
  type DeadToken,
  type LearntEnvironment,
  PushRegistrationRepository,
  type RegisteredToken,
  tokenDigestOf,
} from './push-registration.repository.js';
export {
  PUSH_SERVICE,
  type PushService,
  type RegistrationAnswer,
  type TokenRegistration,
} from './push-service.js';
export { type OpenedRegistration, SealedRegistrations } from './sealed-registrations.js';
export { PushServiceModule } from './push-service.module.js';
