import { Module } from '@nestjs/common';
import { PROFILE_DATA_READER, UsersModule } from '#directory/users';
import { ProfileFieldRepository } from './profile-field.repository.js';
import { ProfileFieldsService } from './profile-fields.service.js';
import { ProfileValueRepository } from './profile-value.repository.js';

/** The custom profile fields of organisations and their values. */
@Module({
  imports: [UsersModule],
  providers: [
    ProfileFieldsService,
    ProfileFieldRepository,
    ProfileValueRepository,
    { provide: PROFILE_DATA_READER, useExisting: ProfileValueRepository },
  ],
  exports: [PROFILE_DATA_READER, ProfileFieldsService],
})
export class ProfileFieldsModule {}
