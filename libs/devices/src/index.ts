export type { DeviceOwner, DeviceRegistration } from './device.repository.js';
export { DevicesModule } from './devices.module.js';
export { RegisterDevice } from './register-device.js';
export { RemoveDevice } from './remove-device.js';
