import { Module } from '@nestjs/common';
import { GuestAccessModule } from '#directory/guest-access';
import { UserGroupsModule } from '#directory/groups';
import { UsersModule } from '#directory/users';
import { EventLogModule } from '#events/log';
import { PresenceSharing } from './presence-sharing.js';
import { SettingChanges } from './setting-changes.js';
import { SettingRepository } from './setting.repository.js';
import { SettingEvents } from './settings.events.js';
import { SettingsOfOthersService } from './settings-of-others.service.js';
import { SettingsService } from './settings.service.js';

/** The settings of accounts; needs AuthModule, DatabaseModule and a PresenceVisibility. */
@Module({
  imports: [EventLogModule, GuestAccessModule, UserGroupsModule, UsersModule],
  providers: [
    PresenceSharing,
    SettingChanges,
    SettingEvents,
    SettingRepository,
    SettingsOfOthersService,
    SettingsService,
  ],
  exports: [SettingRepository, SettingsOfOthersService, SettingsService],
})
export class SettingsModule {}
