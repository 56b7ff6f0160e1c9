import { Injectable } from '@nestjs/common';
import { isGuest } from '#directory/roles';
import { UserAccess, userErrors } from '#directory/users';
import { ApiError, type Caller, isRowId } from '#platform/contracts';
import { Database } from '#platform/database';
import {
  type AccountByReference,
  type AccountReferences,
  NamedChannelRepository,
} from './named-channel.repository.js';

/** Finds the accounts that a request subscribes or unsubscribes. */
@Injectable()
export class NamedAccountsFinder {
  constructor(
    private readonly named: NamedChannelRepository,
    private readonly access: UserAccess,
    private readonly database: Database,
  ) {}

  /**
   * The accounts by their ids; the caller for null. Rejects with `noSuchUser` for an account that is unknown, deactivated, or
   * that the caller may not see.
   */
  async find(caller: Caller, given: AccountReferences | null): Promise<AccountByReference[]> {
    if (given === null) {
      const { userId: id, role, isBot } = caller;
      return [{ id, isGuest: isGuest(role), botOwnerId: null, fullName: '', isBot }];
    }
    const known = 'ids' in given ? given.ids.filter(isRowId) : given.emails;
    const all = 'ids' in given ? given.ids : given.emails;
    const isValid = all.length === known.length && !known.some((one) => `${one}`.includes('\0'));
    if (!isValid) throw new ApiError(userErrors.noSuchUser);
    const accounts = await this.named.accounts(this.database, caller.realm.id, given);
    const count =
      'ids' in given
        ? new Set(given.ids).size
        : new Set(given.emails.map((email) => email.toLowerCase())).size;
    const visible = await this.access.visibleIds(caller);
    const isHidden = ({ id }: AccountByReference) => visible !== null && !visible.has(id);
    if (accounts.length !== count || accounts.some(isHidden)) {
      throw new ApiError(userErrors.noSuchUser);
    }
    return accounts;
  }
}
