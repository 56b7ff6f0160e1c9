import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, isAdministrator, roles } from '#contracts';
import { AccessUser } from './access-user.js';
import type { User } from './user.repository.js';

/** Finds the account that an administrator wants to change. */
@Injectable()
export class AdministerUser {
  constructor(private readonly access: AccessUser) {}

  /**
   * The account, which may be a bot. Throws, in this order: `noSuchUser` for one that is not of the
   * caller's organisation or that the caller may not know of; `userIsDeactivated`;
   * `insufficientPermission` unless the caller is an administrator, and an owner where the account is.
   */
  async execute(caller: Caller, userId: number): Promise<User> {
    const user = await this.access.execute(caller, userId);
    if (user.realmId !== caller.realm.id) throw new ApiError('noSuchUser');
    if (!user.isActive) throw new ApiError('userIsDeactivated');
    if (!mayAdminister(caller.role, user.role)) throw new ApiError('insufficientPermission');
    return user;
  }
}

const mayAdminister = (callerRole: number, role: number): boolean =>
  isAdministrator(callerRole) && (role !== roles.owner || callerRole === roles.owner);
