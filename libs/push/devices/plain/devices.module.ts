import { Module } from '@nestjs/common';
import { PushRevocationsModule } from '#push/revocations';
import { ClientDevicesModule } from '../encrypted/client-devices.module.js';
import { DeviceRepository } from './device.repository.js';
import { DevicesService } from './devices.service.js';

/** The push devices of accounts; needs DatabaseModule, LimitsModule, PushServiceModule and QueueModule. */
@Module({
  imports: [ClientDevicesModule, PushRevocationsModule],
  providers: [DeviceRepository, DevicesService],
  exports: [DevicesService],
})
export class DevicesModule {}
