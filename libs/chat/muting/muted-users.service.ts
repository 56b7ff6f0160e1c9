import { Inject, Injectable } from '@nestjs/common';
import { UserAccess } from '#directory/users';
import { ApiError, type Caller, LIMITS, type Limits, limitErrors } from '#platform/contracts';
import { Database } from '#platform/database';
import { MutedUserRepository } from './muted-user.repository.js';
import { mutedUserErrors } from './muted-users.errors.js';
import { MutedUserEvents } from './muted-users.events.js';

/** The users whose messages a user has muted. */
@Injectable()
export class MutedUsersService {
  constructor(
    private readonly access: UserAccess,
    private readonly mutedUsers: MutedUserRepository,
    private readonly database: Database,
    private readonly events: MutedUserEvents,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'mutedUsers'>,
  ) {}

  /**
   * Mutes a user for the caller and marks the messages of the user as read. Rejects with ApiError for the caller's own
   * account, for a user that the caller cannot see, and for a user that is already muted.
   */
  async mute(caller: Caller, userId: number): Promise<void> {
    if (userId === caller.userId) throw new ApiError(mutedUserErrors.cannotMuteSelf);
    const { id } = await this.access.requireVisible(caller, userId);
    const limit = this.limits.mutedUsers;
    const newest = await this.mutedUsers.markEarlierMessages(caller.userId, id, limit);
    if (typeof newest !== 'number') throw refusalOf(newest, limit);
    await this.database.transaction(async (transaction) => {
      const pair = { userId: caller.userId, mutedUserId: id };
      const muted = await this.mutedUsers.mute(transaction, pair, { newest, limit });
      if (muted !== 'muted') throw refusalOf(muted, limit);
      await this.events.changed(transaction, caller);
    });
  }

  /**
   * Unmutes a user. New messages of the user are unread; earlier ones stay read. Rejects with ApiError for a user that
   * the caller cannot see, and for a user that is not muted.
   */
  async unmute(caller: Caller, userId: number): Promise<void> {
    const { id } = await this.access.requireVisible(caller, userId);
    await this.database.transaction(async (transaction) => {
      if (!(await this.mutedUsers.unmute(transaction, caller.userId, id))) {
        throw new ApiError(mutedUserErrors.userNotMuted);
      }
      await this.events.changed(transaction, caller);
    });
  }
}

const refusalOf = (refusal: 'already muted' | 'list is full', limit: number): ApiError =>
  refusal === 'list is full'
    ? new ApiError(limitErrors.accountLimitReached, { limit, what: 'muted users' })
    : new ApiError(mutedUserErrors.userAlreadyMuted);
