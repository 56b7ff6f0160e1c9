import { Injectable } from '@nestjs/common';
import { QueuesService } from '#events/queues';
import { ApiError, type Caller, roles, roleErrors, signInErrors } from '#platform/contracts';
import { Database } from '#platform/database';
import { ActivationAnnouncer } from './activation-announcer.js';
import { ActivationRepository, type Refusal } from './activation.repository.js';
import { UserAccess } from './user-access.js';
import { UserEvents } from './users.events.js';
import type { User } from './user.repository.js';
import { userErrors } from './users.errors.js';

/** Deactivates and reactivates accounts. */
@Injectable()
export class UserActivationService {
  constructor(
    private readonly access: UserAccess,
    private readonly activation: ActivationRepository,
    private readonly announcer: ActivationAnnouncer,
    private readonly database: Database,
    private readonly events: UserEvents,
    private readonly queues: QueuesService,
  ) {}

  /**
   * Deactivates an account and the bots that it owns. From then on every gateway rejects them and their devices receive
   * nothing; the devices are removed soon after. Their messages stay. The endpoint has checked that the caller is an
   * administrator. Rejects with ApiError for an unknown or deactivated account, an owner unless the caller is an owner, the
   * last owner and the last user.
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
        const userIds = idsOf(changed);
        await this.events.activationChanged(transaction, { realmId, userIds, isActive: false });
        await this.queues.removeAllOf(transaction, userIds);
      }
      return changed;
    });
    if (typeof deactivated === 'string') return deactivated;
    await this.announcer.deactivated(deactivated);
    return null;
  }

  /**
   * Reactivates an account with its role and API key. Its devices register again. The endpoint has checked that the
   * caller is an administrator. Rejects with ApiError for an unknown account, an active one, and an owner unless the
   * caller is an owner.
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
    await this.announcer.reactivated(reactivated);
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
