import { Injectable } from '@nestjs/common';
import { AuthVersionStore } from '#directory/auth';
import {
  ApiError,
  type Caller,
  isAdministrator,
  isRowId,
  roles,
  roleErrors,
  signInErrors,
} from '#platform/contracts';
import { Database, type Session, type Transaction } from '#platform/database';
import { ActivationRepository, type Refusal } from './activation.repository.js';
import { normalizeFullName } from './full-name.rules.js';
import { UserAccess } from './user-access.js';
import { UserEvents } from './users.events.js';
import { type User, UserRepository } from './user.repository.js';
import { userErrors } from './users.errors.js';

/** The caller's account and the newest message that it has received. */
export interface OwnUser {
  readonly user: User;
  readonly newestMessageId: number | null;
}

/** The accounts of an organisation. */
@Injectable()
export class UsersService {
  constructor(
    private readonly access: UserAccess,
    private readonly users: UserRepository,
    private readonly activation: ActivationRepository,
    private readonly versions: AuthVersionStore,
    private readonly database: Database,
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
  async findOwn(caller: Caller): Promise<OwnUser> {
    const [user, newestMessageId] = await Promise.all([
      this.access.requireVisible(caller, caller.userId),
      this.users.newestMessageOf(caller.userId),
    ]);
    return { user, newestMessageId };
  }

  /**
   * Changes the name of the caller's account. Rejects with ApiError for an invalid name, and for a duplicate name if the
   * organisation requires unique names.
   */
  async renameOwn(caller: Caller, given: string, session: Session = this.database): Promise<void> {
    const fullName = normalizeFullName(given);
    const account = { realmId: caller.realm.id, userId: caller.userId };
    await session.transaction(async (transaction) => {
      const outcome = await this.users.rename(account, fullName, transaction);
      if (outcome === 'taken') throw new ApiError(userErrors.nameInUse);
      if (outcome === 'renamed') {
        await this.events.updated(transaction, account, { full_name: fullName });
      }
    });
  }

  /** Adds the event of a changed time zone of the caller's account. */
  async timezoneChanged(transaction: Transaction, caller: Caller, timezone: string): Promise<void> {
    const account = { realmId: caller.realm.id, userId: caller.userId };
    const user = await this.users.find(account.realmId, account.userId, transaction);
    await this.events.updated(transaction, account, { email: user?.email, timezone });
  }

  /**
   * Deactivates an account and the bots that it owns. From then on every gateway rejects them and their devices receive
   * nothing; their messages stay. The endpoint has checked that the caller is an administrator. Rejects with ApiError
   * for an unknown or deactivated account, an owner unless the caller is an owner, the last owner and the last user.
   */
  async deactivate(caller: Caller, userId: number): Promise<void> {
    const user = await this.access.requireOfRealm(caller, userId);
    if (!user.isActive) throw new ApiError(userErrors.userIsDeactivated);
    requireOwnerFor(caller, user);
    const refusal = await this.#deactivate(caller, userId);
    if (refusal === 'deactivated') throw new ApiError(userErrors.userIsDeactivated);
    if (refusal === 'only owner') throw new ApiError(userErrors.onlyOwner);
    if (refusal === 'only user') throw onlyUser(refusal);
  }

  /** Deactivates the caller's own account, of any role. Rejects with ApiError for the last owner or user. */
  async deactivateOwn(caller: Caller): Promise<void> {
    const refusal = await this.#deactivate(caller, caller.userId);
    if (refusal === 'deactivated') throw new ApiError(signInErrors.accountDeactivated);
    if (refusal !== null) throw onlyUser(refusal);
  }

  async #deactivate(caller: Caller, userId: number): Promise<Refusal | null> {
    const realmId = caller.realm.id;
    const deactivated = await this.database.transaction(async (transaction) => {
      const changed = await this.activation.deactivate(realmId, userId, transaction);
      if (typeof changed !== 'string') {
        await this.events.activationChanged(transaction, {
          realmId,
          userIds: idsOf(changed),
          isActive: false,
        });
      }
      return changed;
    });
    if (typeof deactivated === 'string') return deactivated;
    await this.versions.raiseAll(deactivated);
    return null;
  }

  /**
   * Reactivates an account with its role, API key and devices. The endpoint has checked that the caller is an
   * administrator. Rejects with ApiError for an unknown account, an active one, and an owner unless the caller is an
   * owner.
   */
  async reactivate(caller: Caller, userId: number): Promise<void> {
    requireOwnerFor(caller, await this.access.requireOfRealm(caller, userId));
    const realmId = caller.realm.id;
    const reactivated = await this.database.transaction(async (transaction) => {
      const changed = await this.activation.reactivate(realmId, userId, transaction);
      const change = { realmId, userIds: idsOf(changed), isActive: true };
      if (changed.length > 0) await this.events.activationChanged(transaction, change);
      return changed;
    });
    if (reactivated.length === 0) throw new ApiError(userErrors.userIsActive);
    await this.versions.raiseAll(reactivated);
  }
}

/** Ascending. */
const idsOf = (changed: readonly { readonly userId: number }[]): number[] =>
  changed.map(({ userId }) => userId).toSorted((left, right) => left - right);

/** Only owners may deactivate and reactivate owners. */
function requireOwnerFor(caller: Caller, user: User): void {
  if (user.role === roles.owner && caller.role !== roles.owner)
    throw new ApiError(roleErrors.mustBeOwner);
}

function onlyUser(refusal: 'only owner' | 'only user'): ApiError {
  const entity = refusal === 'only owner' ? 'organization owner' : 'user';
  return new ApiError(
    userErrors.onlyUser,
    { entity },
    { entity, is_last_owner: refusal === 'only owner' },
  );
}
