import { Module } from '@nestjs/common';
import { PushServiceModule, TokenChangeRepository } from '#push/relay';
import { DeviceInventoryRepository } from './device-inventory.repository.js';
import { WebPushStoreModule } from './web/web-push.module.js';
import { ClientDevicesModule } from './encrypted/client-devices.module.js';

/** The devices of accounts, for the command line, which sends nothing; needs DatabaseModule. */
@Module({
  imports: [ClientDevicesModule, PushServiceModule.with(null), WebPushStoreModule],
  providers: [DeviceInventoryRepository, TokenChangeRepository],
  exports: [DeviceInventoryRepository],
})
export class DeviceInventoryModule {}
