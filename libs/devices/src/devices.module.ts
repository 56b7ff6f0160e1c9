import { Module } from '@nestjs/common';
import { DeviceInventoryRepository } from './device-inventory.repository.js';
import { DeviceRepository } from './device.repository.js';
import { ListDevices } from './list-devices.js';
import { RegisterDevice } from './register-device.js';
import { RemoveDevice } from './remove-device.js';
import { RemoveDevices } from './remove-devices.js';

/** The push devices of accounts; needs DatabaseModule and LimitsModule. */
@Module({
  providers: [DeviceRepository, RegisterDevice, RemoveDevice],
  exports: [RegisterDevice, RemoveDevice],
})
export class DevicesModule {}

/** The push devices of accounts, for an operator; needs DatabaseModule. */
@Module({
  providers: [DeviceInventoryRepository, ListDevices, RemoveDevices],
  exports: [ListDevices, RemoveDevices],
})
export class DeviceInventoryModule {}
