import { Module } from '@nestjs/common';
import { DeviceInventoryRepository } from './device-inventory.repository.js';
import { DeviceRepository } from './device.repository.js';
import { ListDevices } from './list-devices.js';
import { RegisterDevice } from './register-device.js';
import { RemoveDevice } from './remove-device.js';
import { RemoveDevices } from './remove-devices.js';

/** The push devices of accounts; needs DatabaseModule. */
@Module({
  providers: [
    DeviceInventoryRepository,
    DeviceRepository,
    ListDevices,
    RegisterDevice,
    RemoveDevice,
    RemoveDevices,
  ],
  exports: [ListDevices, RegisterDevice, RemoveDevice, RemoveDevices],
})
export class DevicesModule {}
