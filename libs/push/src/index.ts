export { type NotificationCaller, SendTestNotification } from './accept/send-test-notification.js';
export { type ApnsSettings, ApnsTransport } from './apns/apns.transport.js';
export { Lanes, type PushTransports } from './deliver/lanes.js';
export { type ServiceAccount } from './fcm/fcm-access-token.js';
export { type FcmSettings, FcmTransport } from './fcm/fcm.transport.js';
export {
  ACCOUNT_CHANGE_PUBLISHER,
  type AccountChangePublisher,
} from './logout/account-logout.job.js';
export { PushProducerModule } from './push-producer.module.js';
export { PushWorkerModule, type PushWorkerOptions } from './push-worker.module.js';
export { Sweeper } from './sweep/sweeper.js';
export type {
  OutgoingPush,
  ProviderAnswer,
  PushTransport,
  Recipient,
  Refusal,
} from './transport/push-transport.js';
export { RecordingTransport } from './transport/recording.transport.js';
export { UnconfiguredTransport } from './transport/unconfigured.transport.js';
