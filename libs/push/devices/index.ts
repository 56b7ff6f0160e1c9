export { DeviceInventoryModule } from './device-inventory.module.js';
export { type Device, DeviceInventoryRepository } from './device-inventory.repository.js';
export type { ActiveDevice } from './encrypted/client-device.repository.js';
export { clientDeviceErrors } from './encrypted/client-devices.errors.js';
export {
  DeviceRegistrationModule,
  PushRegistrationModule,
} from './encrypted/client-devices.module.js';
export { ClientDevicesService } from './encrypted/client-devices.service.js';
export { DeviceKeys } from './encrypted/device-keys.js';
export { DeviceRegistrationJob } from './encrypted/device-registration.job.js';
export { PushRegistrationService } from './encrypted/push-registration.service.js';
export { TokenRequests } from './encrypted/token-requests.js';
export { ACCOUNT_CHANGE_PUBLISHER, AccountLogoutJob } from './logout/account-logout.job.js';
export { DeviceRevokerModule } from './logout/device-revoker.module.js';
export { LogoutRepository } from './logout/logout.repository.js';
export { PushDeviceRevoker } from './logout/push-device-revoker.js';
export { DeviceAgeRepository } from './plain/device-age.repository.js';
export { LONGEST_TOKEN, normalizeDeviceToken } from './plain/device-token.rules.js';
export { DeviceRepository } from './plain/device.repository.js';
export { pushErrors } from './plain/devices.errors.js';
export { DevicesModule } from './plain/devices.module.js';
export { DevicesService } from './plain/devices.service.js';
export { PlainTextDevices } from './plain/plain-text-devices.js';
export { NOTIFICATION_TARGETS, PUSH_TARGETS, RELAY_TARGETS } from './push-targets.js';
export { ConfirmationTokens } from './web/confirmation-tokens.js';
export { LateSubscriptions } from './web/late-subscriptions.js';
export { WebPushKeyChanges } from './web/web-push-key-changes.js';
export {
  type UnconfirmedSubscription,
  WEB_PUSH_CONFIRMATIONS,
  type WebPushConfirmations,
} from './web/web-push-confirmations.js';
export { webPushErrors } from './web/web-push.errors.js';
export {
  WebPushKeyChangesModule,
  WebPushModule,
  WebPushStoreModule,
} from './web/web-push.module.js';
export { type SubscriptionChange, WebPushRepository } from './web/web-push.repository.js';
export { WebPushRegistration } from './web/web-push-registration.js';
export { WebPushSubscriptions } from './web/web-push-subscriptions.service.js';
export { ClientTokens } from './encrypted/client-tokens.js';
export { LogoutSweep } from './logout/logout-sweep.js';
