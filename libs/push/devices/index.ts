export { DeviceAgeRepository } from './device-age.repository.js';
export { type Device, DeviceInventoryRepository } from './device-inventory.repository.js';
export { LONGEST_TOKEN, normalizeDeviceToken } from './device-token.rules.js';
export { DeviceRepository, type StoredToken } from './device.repository.js';
export { DeviceInventoryModule, DevicesModule } from './devices.module.js';
export { DevicesService } from './devices.service.js';
export { PLAIN_TEXT_HOOK, type PlainTextHook } from './plain-text-hook.js';
export { PlainTextDevices } from './plain-text-devices.js';
export { pushErrors } from './devices.errors.js';
