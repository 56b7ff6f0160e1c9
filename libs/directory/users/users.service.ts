import { Injectable } from '@nestjs/common';
import { isAdministrator } from '#directory/roles';
import { ApiError, type Caller, isRowId } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { normalizeFullName } from './full-name.rules.js';
import { UserAccess } from './user-access.js';
import { UserEvents } from './users.events.js';
import { type User, UserRepository } from './user.repository.js';
import { userErrors } from './users.errors.js';

/** The accounts of an organisation. */
@Injectable()
export class UsersService {
  constructor(
    private readonly access: UserAccess,
    private readonly users: UserRepository,
    private readonly events: UserEvents,
  ) {}

  /** The accounts that the caller may see, in the order of their ids, bots and deactivated ones included; with `userIds` only those. */
  async list(caller: Caller, userIds?: readonly number[]): Promise<User[]> {
    const visible = await this.access.visibleIds(caller);
    const ids =
      visible === null ? userIds : (userIds ?? [...visible]).filter((id) => visible.has(id));
    return this.users.list(caller.realm.id, ids);
  }

  /**
   * An account by its id (digits) or, case-insensitively, by its visible address or the sign-in address if the caller
   * may see it. Throws `noSuchUser` as UserAccess does.
   */
  async find(caller: Caller, idOrEmail: string): Promise<User> {
    const userId = /^\d+$/.test(idOrEmail)
      ? Number(idOrEmail)
      : await this.users.findIdByEmail(caller.realm.id, idOrEmail, {
          userId: caller.userId,
          isAdministrator: isAdministrator(caller.role),
        });
    if (userId === null || !isRowId(userId)) throw new ApiError(userErrors.noSuchUser);
    return this.access.requireVisible(caller, userId);
  }

  /** The caller's own account. */
  async findOwn(
    caller: Caller,
  ): Promise<{ readonly user: User; readonly newestMessageId: number | null }> {
    const [user, newestMessageId] = await Promise.all([
      this.access.requireVisible(caller, caller.userId),
      this.users.newestMessageOf(caller.userId),
    ]);
    return { user, newestMessageId };
  }

  /**
   * Changes the name of an account, without a check of permissions. Rejects with ApiError for an invalid name, and for a
   * duplicate name if the organisation requires unique names.
   */
  async rename(
    transaction: Transaction,
    account: { readonly realmId: number; readonly userId: number },
    given: string,
  ): Promise<void> {
    const fullName = normalizeFullName(given);
    const outcome = await this.users.rename(transaction, account, fullName);
    if (outcome === 'taken') throw new ApiError(userErrors.nameInUse);
    if (outcome === 'renamed') {
      await this.events.updated(transaction, account, { full_name: fullName });
    }
  }

  /** Adds the event of a changed time zone of the caller's account. */
  async timezoneChanged(transaction: Transaction, caller: Caller, timezone: string): Promise<void> {
    const account = { realmId: caller.realm.id, userId: caller.userId };
    const user = await this.users.find(account.realmId, account.userId, transaction);
    await this.events.updated(transaction, account, { email: user?.email, timezone });
  }
}
