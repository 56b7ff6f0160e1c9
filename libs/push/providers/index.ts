export type {
  ApnsApp,
  ApnsCredential,
  ApnsSettings,
  ProviderTokenSource,
} from './apns/apns-credential.js';
export { apnsPayload, apnsUrgency, encryptedApnsPayload } from './apns/apns-payload.rules.js';
export { ApnsRouter, type OpenApnsConnections } from './credentials/apns-router.transport.js';
export {
  expiredReplacement,
  expiriesOf,
  expiryWarnings,
} from './credentials/credential-check.rules.js';
export { ProviderTokens } from './credentials/provider-token.store.js';
export { readApnsApps } from './credentials/read-apns-apps.js';
export {
  type FcmAccount,
  nameOfAccount,
  readServiceAccount,
} from './credentials/read-service-account.js';
export { ReplaceableTransport } from './credentials/replaceable.transport.js';
export { WatchedCredentials } from './credentials/watched-credentials.js';
export { apnsDriver, fcmDriver } from './drivers.js';
export type { FcmSettings } from './fcm/fcm-credential.js';
export { androidPriority, fcmData } from './fcm/fcm-payload.rules.js';
export { type Outcome, outcomeOf, REFUSED_TOGETHER } from './outcomes.rules.js';
export { mayBeShownAfter } from './shown-push.rules.js';
export { plainPayload } from './transport/encrypted-payload.rules.js';
export { webPushPayload } from './transport/web-payload.rules.js';
export {
  bytesOf,
  cutText,
  MAX_PAYLOAD_BYTES,
  removalPages,
} from './transport/message-fields.rules.js';
export {
  answerOfProxyFault,
  parseRetryAfter,
  type ProviderAnswer,
  refusal,
  type Refusal,
} from './transport/provider-answer.rules.js';
export {
  type ApnsUrgency,
  type ConfirmContent,
  type EncryptedContent,
  type MessageTrigger,
  NO_CREDENTIAL,
  NO_RECIPIENT,
  type NotifiedAccount,
  type NotifiedMessage,
  type OutgoingPush,
  type PreparedContent,
  type PushContent,
  type PushTransport,
  type Recipient,
  recipientOf,
  type RelayedAccount,
  UnconfiguredTransport,
  type WebPushKind,
  webPushKinds,
  type WebPushTarget,
} from './transport/push-transport.js';
export { WebPushKeyRepository } from './web/keys/web-push-key.repository.js';
export { type WebPushKey, WebPushKeys, WebPushKeyUnreadable } from './web/keys/web-push-keys.js';
export { areSubscriptionKeys, type SubscriptionKeys } from './web/message-encryption.js';
export {
  type EndpointPolicy,
  isEndpointAllowed,
  originName,
  parseEndpoint,
  USUAL_SERVICE_HOSTS,
  type WebPushEndpoint,
} from './web/web-push-endpoint.rules.js';
export { webPushOutcome } from './web/web-push-outcomes.rules.js';
export { type WebPushSettings, WebPushTransport } from './web/web-push.transport.js';
