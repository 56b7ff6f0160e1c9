import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, isAdministrator, isRowId } from '#contracts';
import { AccessUser } from './access-user.js';
import { type User, UserRepository } from './user.repository.js';

/** The caller's account, and the newest message that it was sent, if any. */
export interface OwnUser {
  readonly user: User;
  readonly newestMessageId: number | null;
}

/** Finds an account by its id or its address. */
@Injectable()
export class FindUser {
  constructor(
    private readonly access: AccessUser,
    private readonly users: UserRepository,
  ) {}

  /**
   * Digits are an id, anything else is an address: the visible one, or, where the caller is told it, the
   * one that signs in; whatever its case. Throws `noSuchUser` as AccessUser does.
   */
  async execute(caller: Caller, idOrEmail: string): Promise<User> {
    const userId = /^\d+$/.test(idOrEmail)
      ? Number(idOrEmail)
      : await this.users.findIdByEmail(caller.realm.id, idOrEmail, {
          userId: caller.userId,
          isAdministrator: isAdministrator(caller.role),
        });
    if (userId === null || !isRowId(userId)) throw new ApiError('noSuchUser');
    return this.access.execute(caller, userId);
  }

  /** The account of the caller. */
  async executeOwn(caller: Caller): Promise<OwnUser> {
    const [user, newestMessageId] = await Promise.all([
      this.access.execute(caller, caller.userId),
      this.users.newestMessageOf(caller.userId),
    ]);
    return { user, newestMessageId };
  }
}
