export { TokenChangeRepository } from './changes/token-change.repository.js';
export { TokenChangesJob } from './changes/token-changes.job.js';
export {
  type FormFields,
  PushServiceClient,
  RELAY_SETTINGS,
  type RelaySettings,
  SERVICE_DEADLINE_MS,
} from './push-service-client.js';
export { PushServiceModule } from './push-service.module.js';
export { RealmAnswers } from './realms/realm-answers.js';
export { RealmPushStatuses } from './realms/realm-push-statuses.js';
export { RealmUploadTask } from './realms/realm-upload.task.js';
export {
  makeServiceSignIn,
  RelayRegistration,
  type ServiceSignIn,
} from './registration/relay-registration.js';
export { TransferSecrets } from './registration/transfer-secrets.js';
export { RelayIdentityRepository } from './relay-identity.repository.js';
export { RelayMetrics } from './relay-metrics.js';
export { legacyRelayErrors, relayErrors } from './relay.errors.js';
export { serviceRetryDelayMs } from './retry-delay.js';
export { encryptedErrorOf, isTlsFault, legacyErrorOf } from './service-answer.rules.js';
export { encryptedRequest, testBody, textsIn } from './transport/relay-payload.rules.js';
export { RelayTransport } from './transport/relay.transport.js';
export { DEVICE_CHANGES, type DeviceChanges } from './changes/device-changes.js';
export {
  ownQueues,
  QUEUE_PLATFORM,
  type QueuePlatform,
  RELAY_PLATFORM,
  sharedQueues,
} from './queue-platform.js';
export { RelayedPushAvailability } from './realms/relayed-push-availability.js';
