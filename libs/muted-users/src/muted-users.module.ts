import { Module } from '@nestjs/common';
import { MessagesModule } from '#messages';
import { UsersModule } from '#users';
import { MuteUser } from './mute-user.js';
import { MutedUserRepository } from './muted-user.repository.js';
import { UnmuteUser } from './unmute-user.js';

/** Whom a user does not want to hear of. */
@Module({
  imports: [MessagesModule, UsersModule],
  providers: [MutedUserRepository, MuteUser, UnmuteUser],
  exports: [MuteUser, UnmuteUser],
})
export class MutedUsersModule {}
