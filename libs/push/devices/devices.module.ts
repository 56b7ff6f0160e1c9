import { Module } from '@nestjs/common';
import { TokenChangeRepository } from '#push/service';
import { DeviceInventoryRepository } from './device-inventory.repository.js';
import { DeviceRepository } from './device.repository.js';
import { DevicesService } from './devices.service.js';
import { DeviceRemovals } from './removed-devices.js';
import { RelayedTestService } from './relayed-test.service.js';

/** The push devices of accounts; needs DatabaseModule and LimitsModule. */
@Module({
  providers: [DeviceRemovals, DeviceRepository, DevicesService, RelayedTestService],
  exports: [DeviceRemovals, DevicesService, RelayedTestService],
})
export class DevicesModule {}

/** The announcement of removed devices to the workers; needs QueueModule. */
@Module({ providers: [DeviceRemovals], exports: [DeviceRemovals] })
export class DeviceRemovalsModule {}

/** The push devices of accounts, for an operator; needs DatabaseModule. */
@Module({
  providers: [DeviceInventoryRepository, TokenChangeRepository],
  exports: [DeviceInventoryRepository],
})
export class DeviceInventoryModule {}
