import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { AccessUser } from '#users';
import { MutedUserRepository } from './muted-user.repository.js';

/** Lets the caller hear no more of somebody: what they have sent is read from now on. */
@Injectable()
export class MuteUser {
  constructor(
    private readonly access: AccessUser,
    private readonly mutedUsers: MutedUserRepository,
  ) {}

  /** Rejects with ApiError for the caller, for one the caller may not know of, and for one muted already. */
  async execute(caller: Caller, userId: number): Promise<void> {
    if (userId === caller.userId) throw new ApiError('cannotMuteSelf');
    const { id } = await this.access.execute(caller, userId);
    if (!(await this.mutedUsers.mute(caller.userId, id))) throw new ApiError('userAlreadyMuted');
  }
}
