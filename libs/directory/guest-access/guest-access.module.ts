import { Module } from '@nestjs/common';
import { VisibleUsersRepository } from './visible-users.repository.js';

/** The access of guests to other accounts; needs DatabaseModule. */
@Module({ providers: [VisibleUsersRepository], exports: [VisibleUsersRepository] })
export class GuestAccessModule {}
