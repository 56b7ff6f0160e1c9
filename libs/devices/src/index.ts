export { LONGEST_TOKEN } from './device-token.rules.js';
export type { Device } from './device-inventory.repository.js';
export type { DeviceOwner, DeviceRegistration } from './device.repository.js';
export { DeviceInventoryModule, DevicesModule } from './devices.module.js';
export { ListDevices } from './list-devices.js';
export { RegisterDevice } from './register-device.js';
export { RemoveDevice } from './remove-device.js';
export { type DeviceChoice, RemoveDevices } from './remove-devices.js';
