import { Injectable } from '@nestjs/common';
import { AuthVersionStore } from '#auth';
import { ApiError, type Caller, roles } from '#contracts';
import { AccessUser } from '../access-user.js';
import { ActivationRepository } from './activation.repository.js';

/** Puts a deactivated account back into use, with the role, the key and the devices that it had. */
@Injectable()
export class ReactivateUser {
  constructor(
    private readonly access: AccessUser,
    private readonly accounts: ActivationRepository,
    private readonly versions: AuthVersionStore,
  ) {}

  /**
   * That the caller is an administrator has been seen to. Rejects with ApiError when there is no such
   * account, it is in use, or it is an owner's and the caller is none.
   */
  async execute(caller: Caller, userId: number): Promise<void> {
    const user = await this.access.execute(caller, userId);
    if (user.realmId !== caller.realm.id) throw new ApiError('noSuchUser');
    if (user.role === roles.owner && caller.role !== roles.owner) throw new ApiError('mustBeOwner');
    const reactivated = await this.accounts.reactivate(userId);
    if (reactivated.length === 0) throw new ApiError('userIsActive');
    await this.versions.raiseAll(reactivated);
  }
}
