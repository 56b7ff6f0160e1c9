import { Module } from '@nestjs/common';
import { EmojiModule } from '#chat/emoji';
import { SettingsModule } from '#directory/settings';
import { UsersModule } from '#directory/users';
import { UserStatusRepository } from './user-status.repository.js';
import { UserStatusService } from './user-status.service.js';

/** The status of users; needs DatabaseModule. */
@Module({
  imports: [EmojiModule, SettingsModule, UsersModule],
  providers: [UserStatusService, UserStatusRepository],
  exports: [UserStatusService],
})
export class UserStatusModule {}
