import { Inject, Injectable } from '@nestjs/common';
import { UserAccess } from '#directory/users';
import { ApiError, type Caller, LIMITS, type Limits, limitErrors } from '#platform/contracts';
import { MutedUserRepository } from './muted-user.repository.js';
import { mutedUserErrors } from './muted-users.errors.js';

/** The users whose messages a user has muted. */
@Injectable()
export class MutedUsersService {
  constructor(
    private readonly access: UserAccess,
    private readonly mutedUsers: MutedUserRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'mutedUsers'>,
  ) {}

  /**
   * Mutes a user for the caller and marks the messages of the user as read. Rejects with ApiError for the caller's own
   * account, for a user that the caller may not see, and for a user that is already muted.
   */
  async mute(caller: Caller, userId: number): Promise<void> {
    if (userId === caller.userId) throw new ApiError(mutedUserErrors.cannotMuteSelf);
    const { id } = await this.access.requireVisible(caller, userId);
    const limit = this.limits.mutedUsers;
    const isMuted = await this.mutedUsers.mute(caller.userId, id, limit);
    if (isMuted === 'list is full') {
      throw new ApiError(limitErrors.accountLimitReached, { limit, what: 'muted users' });
    }
    if (!isMuted) throw new ApiError(mutedUserErrors.userAlreadyMuted);
  }

  /**
   * Unmutes a user. New messages of the user are unread; earlier ones stay read. Rejects with ApiError for a user that
   * the caller may not see, and for a user that is not muted.
   */
  async unmute(caller: Caller, userId: number): Promise<void> {
    const { id } = await this.access.requireVisible(caller, userId);
    if (!(await this.mutedUsers.unmute(caller.userId, id)))
      throw new ApiError(mutedUserErrors.userNotMuted);
  }
}
