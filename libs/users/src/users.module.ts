import { Module } from '@nestjs/common';
import { AccessUser } from './access-user.js';
import { UserRepository } from './user.repository.js';
import { VisibleUsersRepository } from './visible-users.repository.js';

/** The accounts of an organisation. */
@Module({
  providers: [AccessUser, UserRepository, VisibleUsersRepository],
  exports: [AccessUser, UserRepository],
})
export class UsersModule {}
