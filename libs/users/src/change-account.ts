import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { AccountChangeRepository } from './account-change.repository.js';
import { normalizeFullName } from './full-name.rules.js';

/** What is to be different of an account. */
export interface AccountChange {
  readonly fullName?: string | undefined;
  /** A name of the IANA time zone database; empty when it is not known. */
  readonly timezone?: string | undefined;
}

/** Changes what the caller's account is known by. */
@Injectable()
export class ChangeAccount {
  constructor(private readonly accounts: AccountChangeRepository) {}

  /** All or nothing. Rejects with ApiError for a name that can be none, or that is not the caller's to take. */
  async execute(caller: Caller, { fullName: given, timezone }: AccountChange): Promise<void> {
    const fullName = given === undefined ? undefined : normalizeFullName(given);
    if (fullName === undefined && timezone === undefined) return;
    const account = { realmId: caller.realm.id, userId: caller.userId };
    if (!(await this.accounts.change(account, { fullName, timezone }))) {
      throw new ApiError('nameInUse');
    }
  }
}
