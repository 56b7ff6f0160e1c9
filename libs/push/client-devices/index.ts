export { clientDeviceErrors } from './client-devices.errors.js';
export {
  ClientDevicesModule,
  DeviceRegistrationModule,
  PushRegistrationModule,
} from './client-devices.module.js';
export { ClientDevicesService } from './client-devices.service.js';
export { DeviceKeys } from './device-keys.js';
export { DeviceRegistrationJob } from './device-registration.job.js';
export { PUSH_TARGETS, RELAY_TARGETS } from './push-targets.js';
export { PushRegistrationService } from './push-registration.service.js';
export { RelayedEncryptedTestService } from './relayed-encrypted-test.service.js';
export { TokenRequests } from './token-requests.js';
