export type { ApnsCredential, ApnsSettings, ProviderTokenSource } from './apns/apns-credential.js';
export { apnsDriver } from './apns/apns-drivers.js';
export { apnsPayload } from './apns/apns-payload.rules.js';
export type { ApnsApp, ApnsSignIn } from './credentials/apns-app.js';
export { ApnsRouter, type OpenApnsLine } from './credentials/apns-router.transport.js';
export { endedNewcomer, endingSoon } from './credentials/endings.rules.js';
export { ProviderTokens } from './credentials/provider-tokens.js';
export { type ApnsSources, readApnsApps } from './credentials/read-apns-apps.js';
export {
  type FcmAccount,
  nameOfAccount,
  readServiceAccount,
} from './credentials/read-service-account.js';
export { ReplaceableTransport } from './credentials/replaceable.transport.js';
export { WatchedCredentials } from './credentials/watched-credentials.js';
export { type ServiceAccount } from './fcm/fcm-access-token.js';
export { fcmDriver } from './fcm/fcm-drivers.js';
export { fcmData } from './fcm/fcm-payload.rules.js';
export type { FcmSettings } from './fcm/fcm-settings.js';
export { cutText } from './transport/notification-text.rules.js';
export type { MessageTrigger, NotifiedMessage, PushContent } from './transport/push-content.js';
export {
  type OutgoingPush,
  type ProviderAnswer,
  type PushTransport,
  type Recipient,
  refusal,
  type Refusal,
} from './transport/push-transport.js';
export { RecordingTransport } from './transport/recording.transport.js';
export { NO_CREDENTIAL, UnconfiguredTransport } from './transport/unconfigured.transport.js';
