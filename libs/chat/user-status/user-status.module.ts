import { Global, Module } from '@nestjs/common';
import { EmojiModule } from '#chat/emoji';
import { GuestAccessModule } from '#directory/guest-access';
import { SettingsModule } from '#directory/settings';
import { VISIBILITY_HOOK, UsersModule } from '#directory/users';
import { EventLogModule } from '#events/log';
import { StatusExpiry } from './status-expiry.js';
import { UserStatusEvents } from './user-status.events.js';
import { UserStatusRepository } from './user-status.repository.js';
import { UserStatusService } from './user-status.service.js';

/** The status of users; needs DatabaseModule. */
@Global()
@Module({
  imports: [EmojiModule, EventLogModule, GuestAccessModule, SettingsModule, UsersModule],
  providers: [
    StatusExpiry,
    UserStatusEvents,
    UserStatusService,
    UserStatusRepository,
    { provide: VISIBILITY_HOOK, useExisting: UserStatusEvents },
  ],
  exports: [VISIBILITY_HOOK, UserStatusService],
})
export class UserStatusModule {}
