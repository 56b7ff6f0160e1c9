import { Module } from '@nestjs/common';
import { DeviceRepository } from './device.repository.js';
import { RegisterDevice } from './register-device.js';
import { RemoveDevice } from './remove-device.js';

/** The push devices of accounts; needs DatabaseModule. */
@Module({
  providers: [DeviceRepository, RegisterDevice, RemoveDevice],
  exports: [RegisterDevice, RemoveDevice],
})
export class DevicesModule {}
