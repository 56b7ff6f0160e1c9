import { Injectable } from '@nestjs/common';
import { AuthVersionStore } from '#auth';
import { ApiError, type Caller, roles } from '#contracts';
import { AccessUser } from '../access-user.js';
import { ActivationRepository, type Refusal } from './activation.repository.js';

/**
 * Takes an account out of use, and with it the bots that it owns: when it resolves, every gateway refuses
 * them and nothing is sent to their devices. What they wrote stays.
 */
@Injectable()
export class DeactivateUser {
  constructor(
    private readonly access: AccessUser,
    private readonly accounts: ActivationRepository,
    private readonly versions: AuthVersionStore,
  ) {}

  /**
   * That the caller is an administrator has been seen to. Rejects with ApiError when there is no such
   * account, it is deactivated already, it is an owner's and the caller is none, or it is the last of an
   * owner or of anybody.
   */
  async execute(caller: Caller, userId: number): Promise<void> {
    const user = await this.access.execute(caller, userId);
    if (user.realmId !== caller.realm.id) throw new ApiError('noSuchUser');
    if (!user.isActive) throw new ApiError('userIsDeactivated');
    if (user.role === roles.owner && caller.role !== roles.owner) throw new ApiError('mustBeOwner');
    const refusal = await this.#deactivate(caller, userId);
    if (refusal === 'deactivated') throw new ApiError('userIsDeactivated');
    if (refusal === 'only owner') throw new ApiError('onlyOwner');
    if (refusal === 'only user') throw onlyUser(refusal);
  }

  /** The caller's own account, whatever their role. Rejects with ApiError when it is the last. */
  async executeOwn(caller: Caller): Promise<void> {
    const refusal = await this.#deactivate(caller, caller.userId);
    if (refusal === 'deactivated') throw new ApiError('accountDeactivated');
    if (refusal !== null) throw onlyUser(refusal);
  }

  async #deactivate(caller: Caller, userId: number): Promise<Refusal | null> {
    const done = await this.accounts.deactivate(caller.realm.id, userId);
    if (typeof done === 'string') return done;
    await this.versions.raiseAll(done);
    return null;
  }
}

function onlyUser(refusal: 'only owner' | 'only user'): ApiError {
  const entity = refusal === 'only owner' ? 'organization owner' : 'user';
  return new ApiError('onlyUser', { entity }, { entity, is_last_owner: refusal === 'only owner' });
}
