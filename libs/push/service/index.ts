export { PUSH_KEY_SECRET, type PushKey, PushKeys } from './push-keys.js';
export { PushKeyRepository } from './push-key.repository.js';
export {
  type DeadToken,
  type LearntEnvironment,
  PushRegistrationRepository,
  type RegisteredToken,
  tokenDigestOf,
} from './push-registration.repository.js';
export { PUSH_SERVICE, type PushService, type RegistrationAnswer } from './push-service.js';
export type { AgedApp, OldTokens } from './token-age.js';
export { serviceRetryDelayMs } from './retry-delay.js';
export { SealedRegistrations } from './sealed-registrations.js';
export {
  type FormFields,
  PushServiceClient,
  RELAY_PLATFORM,
  RELAY_SETTINGS,
  type RelaySettings,
  SERVICE_DEADLINE_MS,
} from './relay/push-service-client.js';
export { RealmAnswers } from './relay/realm-answers.js';
export { RealmPushStatuses } from './relay/realm-push-statuses.js';
export { RealmUploadTask } from './relay/realm-upload.task.js';
export { RelayIdentityRepository } from './relay/relay-identity.repository.js';
export { RelayMetrics } from './relay/relay-metrics.js';
export { RelayTransport } from './relay/relay.transport.js';
export { TokenChangeRepository } from './relay/token-change.repository.js';
export { TokenChanges } from './relay/token-changes.js';
export { TokenChangesJob } from './relay/token-changes.job.js';
export { encryptedErrorOf, isTlsFault, legacyErrorOf } from './relay/service-answer.rules.js';
export { encryptedRequest, testBody, textsIn } from './relay/relay-payload.rules.js';
export { legacyRelayErrors, relayErrors } from './relay/relay.errors.js';
export { PushServiceModule } from './push-service.module.js';
