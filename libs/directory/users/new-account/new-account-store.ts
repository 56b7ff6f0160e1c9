import { Inject, Injectable } from '@nestjs/common';
import { Database } from '#platform/database';
import { NEW_ACCOUNT_HOOK, type NewAccountHook } from '../account-hooks.js';
import { UserEvents } from '../users.events.js';
import { type Created, type NewAccount, NewAccountRepository } from './new-account.repository.js';

/** Stores new accounts with their events and, for people, the rows of the hook: all of it or nothing. */
@Injectable()
export class NewAccountStore {
  constructor(
    private readonly database: Database,
    private readonly accounts: NewAccountRepository,
    private readonly events: UserEvents,
    @Inject(NEW_ACCOUNT_HOOK) private readonly hook: NewAccountHook,
  ) {}

  /** As NewAccountRepository.create. */
  async create(account: NewAccount, limit: number | null): Promise<Created> {
    return this.database.transaction(async (transaction) => {
      const created = await this.accounts.create(transaction, account, limit);
      if (!('user' in created)) return created;
      const { user } = created;
      const { id: userId, realmId } = user;
      await this.events.added(transaction, user, async () => {
        if (!user.isBot) await this.hook.personAdded(transaction, { realmId, userId });
      });
      return created;
    });
  }
}
