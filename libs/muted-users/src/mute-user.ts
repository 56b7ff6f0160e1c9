import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits } from '#contracts';
import { AccessUser } from '#users';
import { MutedUserRepository } from './muted-user.repository.js';

/** Lets the caller hear no more of somebody: what they have sent is read from now on. */
@Injectable()
export class MuteUser {
  constructor(
    private readonly access: AccessUser,
    private readonly mutedUsers: MutedUserRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'mutedUsers'>,
  ) {}

  /** Rejects with ApiError for the caller, for one the caller may not know of, and for one muted already. */
  async execute(caller: Caller, userId: number): Promise<void> {
    if (userId === caller.userId) throw new ApiError('cannotMuteSelf');
    const { id } = await this.access.execute(caller, userId);
    const limit = this.limits.mutedUsers;
    const isMuted = await this.mutedUsers.mute(caller.userId, id, limit);
    if (isMuted === 'list is full') {
      throw new ApiError('accountLimitReached', { limit, what: 'muted users' });
    }
    if (!isMuted) throw new ApiError('userAlreadyMuted');
  }
}
