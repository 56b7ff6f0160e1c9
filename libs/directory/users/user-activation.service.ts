import { Injectable } from '@nestjs/common';
import { QueuesService } from '#events/queues';
import { roles, roleErrors } from '#directory/roles';
import { ApiError, type Caller, signInErrors } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import type { ActivationChange } from './account-hooks.js';
import { ActivationAnnouncer } from './activation-announcer.js';
import {
  type AccountToActivate,
  ActivationRepository,
  type Refusal,
} from './activation.repository.js';
import type { ErasureScope } from './message-erasure.repository.js';
import { UserAccess } from './user-access.js';
import { UserEvents } from './users.events.js';
import { userErrors } from './users.errors.js';

/** The name of an account whose profile was deleted. */
const NAME_OF_DELETED = 'Deleted user';

/** What else is deleted with the accounts that are deactivated. */
interface Erasure {
  readonly profile: boolean;
  readonly messages: ErasureScope;
}

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
   * nothing; the devices are removed soon after. Their messages stay unless they are to be deleted. The endpoint has checked that the caller is an
   * administrator. Rejects with ApiError for an unknown or deactivated account, an owner unless the caller is an owner, the
   * last owner and the last user.
   */
  async deactivate(caller: Caller, userId: number, erasure: Erasure): Promise<void> {
    await this.access.requireOfRealm(caller, userId);
    const refusal = await this.#deactivate(accountFor(caller, userId), erasure);
    if (refusal === 'deactivated') throw new ApiError(userErrors.userIsDeactivated);
    if (refusal === 'owner') throw new ApiError(roleErrors.mustBeOwner);
    if (refusal === 'only owner') throw new ApiError(userErrors.onlyOwner);
    if (refusal === 'only user') throw onlyUser(refusal);
  }

  /** Deactivates the caller's own account, of any role. Rejects with ApiError for the last owner or user. */
  async deactivateOwn(caller: Caller): Promise<void> {
    const account = { ...accountFor(caller, caller.userId), mayBeOwner: true };
    const refusal = await this.#deactivate(account);
    if (refusal === 'deactivated') throw new ApiError(signInErrors.accountDeactivated);
    if (refusal === 'only owner' || refusal === 'only user') throw onlyUser(refusal);
  }

  async #deactivate(
    account: AccountToActivate,
    erasure: Erasure | null = null,
  ): Promise<Refusal | null> {
    const { realmId } = account;
    const deactivated = await this.database.transaction(async (transaction) => {
      const changed = await this.activation.deactivate(transaction, account);
      if (typeof changed !== 'string') {
        const change = { realmId, userIds: idsOf(changed), isActive: false };
        if (erasure?.profile === true) await this.#eraseNames(transaction, change);
        await this.events.activationChanged(transaction, change);
        await this.queues.removeAllOf(transaction, change.userIds);
        // Last: messages that are sent until then are deleted too.
        if (erasure !== null) await this.#eraseMessages(transaction, change, erasure.messages);
      }
      return changed;
    });
    if (typeof deactivated === 'string') return deactivated;
    await this.announcer.deactivated(deactivated);
    return null;
  }

  async #eraseNames(
    transaction: Transaction,
    { realmId, userIds }: ActivationChange,
  ): Promise<void> {
    const renamed = await this.activation.eraseNames(transaction, userIds, NAME_OF_DELETED);
    for (const userId of renamed) {
      const update = { full_name: NAME_OF_DELETED };
      await this.events.updated(transaction, { realmId, userId }, update);
    }
  }

  async #eraseMessages(
    transaction: Transaction,
    { userIds }: ActivationChange,
    messages: ErasureScope,
  ): Promise<void> {
    if (!Object.values(messages).includes(true)) return;
    await this.activation.eraseMessages(transaction, userIds, messages);
  }

  /**
   * Reactivates an account with its role and API key. Its devices register again. The endpoint has checked that the
   * caller is an administrator. Rejects with ApiError for an unknown account, an active one, a bot of a deactivated account,
   * and an owner unless the caller is an owner.
   */
  async reactivate(caller: Caller, userId: number): Promise<void> {
    await this.access.requireOfRealm(caller, userId);
    const account = accountFor(caller, userId);
    const { realmId } = account;
    const reactivated = await this.database.transaction(async (transaction) => {
      const changed = await this.activation.reactivate(transaction, account);
      if (changed === 'owner') throw new ApiError(roleErrors.mustBeOwner);
      if (changed === 'bot of deactivated') throw new ApiError(userErrors.botOwnerIsDeactivated);
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
const accountFor = ({ realm, role }: Caller, userId: number): AccountToActivate => ({
  realmId: realm.id,
  userId,
  mayBeOwner: role === roles.owner,
});

function onlyUser(refusal: 'only owner' | 'only user'): ApiError {
  const entity = refusal === 'only owner' ? 'organization owner' : 'user';
  return new ApiError(
    userErrors.onlyUser,
    { entity },
    { entity, is_last_owner: refusal === 'only owner' },
  );
}
