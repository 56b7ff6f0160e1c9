import { Module } from '@nestjs/common';
import { GuestAccessModule } from '#directory/guest-access';
import {
  AccountVisibilityEvents,
  PROFILE_DATA_READER,
  UsersModule,
  UserState,
} from '#directory/users';
import { QueuesModule } from '#events/queues';
import { EventLogModule } from '#events/log';
import { ProfileFieldEvents } from './profile-fields.events.js';
import { ProfileFieldRepository } from './profile-field.repository.js';
import { ProfileFieldsService } from './profile-fields.service.js';
import { ProfileValueRepository } from './profile-value.repository.js';

/** The custom profile fields of organisations and their values. */
@Module({
  imports: [EventLogModule, GuestAccessModule, QueuesModule, UsersModule],
  providers: [
    ProfileFieldEvents,
    ProfileFieldsService,
    ProfileFieldRepository,
    ProfileValueRepository,
    { provide: PROFILE_DATA_READER, useExisting: ProfileValueRepository },
    // Here, because they read the profile data of the accounts.
    AccountVisibilityEvents,
    UserState,
  ],
  exports: [AccountVisibilityEvents, PROFILE_DATA_READER, ProfileFieldsService],
})
export class ProfileFieldsModule {}
