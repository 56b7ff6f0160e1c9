import { Module } from '@nestjs/common';
import { MessagesModule } from '#chat/messages';
import { UsersModule } from '#directory/users';
import { EventLogModule } from '#events/log';
import { MutedUserRepository } from './muted-user.repository.js';
import { MutedUserEvents } from './muted-users.events.js';
import { MutedUsersService } from './muted-users.service.js';

/** The accounts that an account mutes. */
@Module({
  imports: [EventLogModule, MessagesModule, UsersModule],
  providers: [MutedUserEvents, MutedUserRepository, MutedUsersService],
  exports: [MutedUsersService],
})
export class MutedUsersModule {}
