import { Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { AccountAudience } from './account-audience.js';
import { VisibleUsersRepository } from './visible-users.repository.js';

/** The access of guests to other accounts; needs DatabaseModule. */
@Module({
  imports: [EventLogModule],
  providers: [AccountAudience, VisibleUsersRepository],
  exports: [AccountAudience, VisibleUsersRepository],
})
export class GuestAccessModule {}
