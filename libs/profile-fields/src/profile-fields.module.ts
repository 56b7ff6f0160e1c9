import { Module } from '@nestjs/common';
import { UsersModule } from '#users';
import { ChangeProfileData } from './change-profile-data.js';
import { CreateProfileField } from './create-profile-field.js';
import { DeleteProfileField } from './delete-profile-field.js';
import { ListProfileFields } from './list-profile-fields.js';
import { NamedPeopleRepository } from './named-people.repository.js';
import { ProfileFieldRepository } from './profile-field.repository.js';
import { ProfileValueRepository } from './profile-value.repository.js';

/** The fields of an organisation’s own that accounts can fill in. */
@Module({
  imports: [UsersModule],
  providers: [
    ChangeProfileData,
    CreateProfileField,
    DeleteProfileField,
    ListProfileFields,
    NamedPeopleRepository,
    ProfileFieldRepository,
    ProfileValueRepository,
  ],
  exports: [
    ChangeProfileData,
    CreateProfileField,
    DeleteProfileField,
    ListProfileFields,
    ProfileValueRepository,
  ],
})
export class ProfileFieldsModule {}
