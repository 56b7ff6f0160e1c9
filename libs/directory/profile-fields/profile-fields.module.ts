import { Module } from '@nestjs/common';
import { PROFILE_DATA_READER, UsersModule, UserState } from '#directory/users';
import { EventLogModule } from '#events/log';
import { ProfileFieldEvents } from './profile-fields.events.js';
import { ProfileFieldRepository } from './profile-field.repository.js';
import { ProfileFieldsService } from './profile-fields.service.js';
import { ProfileValueRepository } from './profile-value.repository.js';

/** The custom profile fields of organisations and their values. */
@Module({
  imports: [EventLogModule, UsersModule],
  providers: [
    ProfileFieldEvents,
    ProfileFieldsService,
    ProfileFieldRepository,
    ProfileValueRepository,
    { provide: PROFILE_DATA_READER, useExisting: ProfileValueRepository },
    // Here, because it reads the profile data of the accounts.
    UserState,
  ],
  exports: [PROFILE_DATA_READER, ProfileFieldsService],
})
export class ProfileFieldsModule {}
