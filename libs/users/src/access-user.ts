import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, roles } from '#contracts';
import { VisibleUsersRepository } from '#guest-access';
import { type User, UserRepository } from './user.repository.js';

/** Finds the account that a request is about, as far as the caller may know of it. */
@Injectable()
export class AccessUser {
  constructor(
    private readonly users: UserRepository,
    private readonly visible: VisibleUsersRepository,
  ) {}

  /**
   * The account, deactivated ones and the server's own bots included. Throws `noSuchUser` for one that
   * there is none of, that is another organisation's, or that a guest may not see.
   */
  async execute(caller: Caller, userId: number): Promise<User> {
    const user = await this.users.find(caller.realm.id, userId);
    if (user === null || !(await this.#mayKnowOf(caller, user))) throw new ApiError('noSuchUser');
    return user;
  }

  /** The ids of those that the caller may know of; null when that is everyone. */
  async visibleTo(caller: Caller): Promise<ReadonlySet<number> | null> {
    if (caller.role < roles.guest) return null;
    if (await this.visible.seesEveryone(caller.realm.id, caller.userId)) return null;
    return new Set([caller.userId, ...(await this.visible.sharingWith(caller.userId))]);
  }

  async #mayKnowOf(caller: Caller, user: User): Promise<boolean> {
    if (user.id === caller.userId || user.isSystemBot) return true;
    return (await this.visibleTo(caller))?.has(user.id) ?? true;
  }
}
