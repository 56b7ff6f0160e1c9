import { Module } from '@nestjs/common';
import { MessagesModule } from '#chat/messages';
import { UsersModule } from '#directory/users';
import { MutedUserRepository } from './muted-user.repository.js';
import { MutedUsersService } from './muted-users.service.js';

/** Whom a user does not want to hear of. */
@Module({
  imports: [MessagesModule, UsersModule],
  providers: [MutedUserRepository, MutedUsersService],
  exports: [MutedUsersService],
})
export class MutedUsersModule {}
