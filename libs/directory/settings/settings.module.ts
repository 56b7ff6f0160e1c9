import { Module } from '@nestjs/common';
import { GuestAccessModule } from '#directory/guest-access';
import { UsersModule } from '#directory/users';
import { EventLogModule } from '#events/log';
import { PresenceSharing } from './presence-sharing.js';
import { SettingRepository } from './setting.repository.js';
import { SettingEvents } from './settings.events.js';
import { SettingsService } from './settings.service.js';

/** The settings of accounts; needs AuthModule, DatabaseModule and a PresenceVisibility. */
@Module({
  imports: [EventLogModule, GuestAccessModule, UsersModule],
  providers: [PresenceSharing, SettingEvents, SettingsService, SettingRepository],
  exports: [SettingRepository, SettingsService],
})
export class SettingsModule {}
