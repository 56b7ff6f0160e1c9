import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { AccessUser } from '#users';
import { MutedUserRepository } from './muted-user.repository.js';

/** Lets the caller hear of somebody again: what they send from now on is unread, what was sent stays read. */
@Injectable()
export class UnmuteUser {
  constructor(
    private readonly access: AccessUser,
    private readonly mutedUsers: MutedUserRepository,
  ) {}

  /** Rejects with ApiError for one the caller may not know of, and for one that is not muted. */
  async execute(caller: Caller, userId: number): Promise<void> {
    const { id } = await this.access.execute(caller, userId);
    if (!(await this.mutedUsers.unmute(caller.userId, id))) throw new ApiError('userNotMuted');
  }
}
