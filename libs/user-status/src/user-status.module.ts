import { Module } from '@nestjs/common';
import { EmojiModule } from '#emoji';
import { SettingsModule } from '#settings';
import { UsersModule } from '#users';
import { ChangeOwnStatus } from './change-own-status.js';
import { ChangeUserStatus } from './change-user-status.js';
import { GetUserStatus } from './get-user-status.js';
import { ResolveStatus } from './resolve-status.js';
import { UserStatusRepository } from './user-status.repository.js';

/** What users say of themselves beside their name; needs DatabaseModule. */
@Module({
  imports: [EmojiModule, SettingsModule, UsersModule],
  providers: [
    ChangeOwnStatus,
    ChangeUserStatus,
    GetUserStatus,
    ResolveStatus,
    UserStatusRepository,
  ],
  exports: [ChangeOwnStatus, ChangeUserStatus, GetUserStatus],
})
export class UserStatusModule {}
