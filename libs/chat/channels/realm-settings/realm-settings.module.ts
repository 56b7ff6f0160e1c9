import { Module } from '@nestjs/common';
import { RealmOperatorModule, RealmsModule } from '#directory/realms';
import { EventLogModule } from '#events/log';
import { ChannelRowsModule } from '../channel-rows.module.js';
import { RealmChannelRepository } from './realm-channel.repository.js';
import { RealmSettingsService } from './realm-settings.service.js';

/** The settings of organisations; needs DatabaseModule. */
@Module({
  imports: [ChannelRowsModule, EventLogModule, RealmOperatorModule, RealmsModule],
  providers: [RealmChannelRepository, RealmSettingsService],
  exports: [RealmChannelRepository, RealmSettingsService],
})
export class RealmSettingsModule {}
