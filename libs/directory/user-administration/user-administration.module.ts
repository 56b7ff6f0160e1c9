import { Module } from '@nestjs/common';
import { ProfileFieldsModule } from '#directory/profile-fields';
import { UsersModule } from '#directory/users';
import { UserAdministrationService } from './user-administration.service.js';

/** Changes of accounts by administrators; needs AuthModule and DatabaseModule. */
@Module({
  imports: [ProfileFieldsModule, UsersModule],
  providers: [UserAdministrationService],
  exports: [UserAdministrationService],
})
export class UserAdministrationModule {}
