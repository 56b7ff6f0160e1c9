import { Injectable } from '@nestjs/common';
import { VisibleUsersRepository } from '#directory/guest-access';
import { isGuest, mayAdminister, roleErrors } from '#directory/roles';
import { ApiError, type Caller } from '#platform/contracts';
import type { Session } from '#platform/database';
import { type User, UserRepository } from './user.repository.js';
import { userErrors } from './users.errors.js';

/** Finds accounts that the caller may see or change. */
@Injectable()
export class UserAccess {
  constructor(
    private readonly users: UserRepository,
    private readonly visible: VisibleUsersRepository,
  ) {}

  /**
   * An active or deactivated account or a system bot. Throws `noSuchUser` for an unknown account, for an account of
   * another organisation, and for an account that a guest cannot see.
   */
  async requireVisible(caller: Caller, userId: number): Promise<User> {
    const user = await this.users.find(caller.realm.id, userId);
    if (user === null || !(await this.#maySee(caller, user)))
      throw new ApiError(userErrors.noSuchUser);
    return user;
  }

  /** The same without system bots: only accounts of the caller's organisation. */
  async requireOfRealm(caller: Caller, userId: number): Promise<User> {
    const user = await this.requireVisible(caller, userId);
    if (user.realmId !== caller.realm.id) throw new ApiError(userErrors.noSuchUser);
    return user;
  }

  /** The ids of the accounts that the caller may see; null for all accounts. */
  async visibleIds(caller: Caller, session?: Session): Promise<ReadonlySet<number> | null> {
    if (!isGuest(caller.role)) return null;
    return this.visible.visibleTo({ realmId: caller.realm.id, userId: caller.userId }, session);
  }

  /**
   * Those of some accounts of the organisation that the caller may see. A guest may share places with tens of thousands of
   * accounts: for a few of these it takes much less time than `visibleIds`, for thousands more.
   */
  async visibleAmong(caller: Caller, userIds: readonly number[]): Promise<ReadonlySet<number>> {
    const { userId: viewerId, role } = caller;
    const visible = new Set(userIds);
    if (!isGuest(role)) return visible;
    const others = [...visible].filter((id) => id !== viewerId);
    if (others.length === 0) return visible;
    const pairs = others.map((otherId) => ({ viewerId, otherId }));
    for (const { otherId } of await this.visible.hiddenAmong(pairs)) visible.delete(otherId);
    return visible;
  }

  async #maySee(caller: Caller, user: User): Promise<boolean> {
    return user.isSystemBot || (await this.visibleAmong(caller, [user.id])).has(user.id);
  }

  /**
   * The account of a person that the caller may change as an administrator. Throws, in this order: `noSuchUser` for a
   * bot, an account of another organisation or one that the caller cannot see; `userIsDeactivated`;
   * `insufficientPermission` unless the caller is an administrator, for the account of an owner also an owner.
   */
  async requireAdministrable(caller: Caller, userId: number): Promise<User> {
    const user = await this.requireOfRealm(caller, userId);
    if (user.isBot) throw new ApiError(userErrors.noSuchUser);
    if (!user.isActive) throw new ApiError(userErrors.userIsDeactivated);
    if (!mayAdminister(caller.role, user.role))
      throw new ApiError(roleErrors.insufficientPermission);
    return user;
  }
}
