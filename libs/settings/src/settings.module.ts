import { Module } from '@nestjs/common';
import { CLOCK, systemClock } from '#core';
import { UsersModule } from '#users';
import { ChangePresenceSharing } from './change-presence-sharing.js';
import { ChangeSettings } from './change-settings.js';
import { SettingRepository } from './setting.repository.js';

/** What users decide for their own account; needs AuthModule, DatabaseModule and PresenceClientModule. */
@Module({
  imports: [UsersModule],
  providers: [
    { provide: CLOCK, useValue: systemClock },
    ChangePresenceSharing,
    ChangeSettings,
    SettingRepository,
  ],
  exports: [ChangePresenceSharing, ChangeSettings],
})
export class SettingsModule {}
