import { Injectable } from '@nestjs/common';
import { AuthVersionStore, bumpAuthVersions, type FirstSignIn } from '#directory/auth';
import { lockRealm, UserGroupEvents } from '#directory/groups';
import { Database, type Transaction } from '#platform/database';
import { minuteOf } from './user.response.js';
import { UserRepository } from './user.repository.js';
import { UserEvents } from './users.events.js';

/** Lets an account that somebody else has made join at its first sign-in. */
@Injectable()
export class FirstSignInService implements FirstSignIn {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly events: UserEvents,
    private readonly groups: UserGroupEvents,
    private readonly versions: AuthVersionStore,
  ) {}

  /** Moves the date at which the account joined to now, with its event; once, however many sign in at the same time. */
  async record(account: { readonly realmId: number; readonly userId: number }): Promise<void> {
    const bumped = await this.database.transaction(async (transaction) => {
      await lockRealm(transaction, account.realmId);
      let joinedAt: Date | null = null;
      // The account may be no full member any more, and then sees fewer channels.
      const changed = { ...account, isActive: true };
      await this.groups.duringAccountChange(transaction, changed, async () => {
        joinedAt = await this.#join(transaction, account);
      });
      // A cached sign-in holds the date.
      return joinedAt === null ? [] : bumpAuthVersions(transaction, [account.userId]);
    });
    await this.versions.raiseAll(bumped);
  }

  async #join(
    transaction: Transaction,
    account: { readonly realmId: number; readonly userId: number },
  ): Promise<Date | null> {
    const joinedAt = await this.users.join(transaction, account.userId);
    if (joinedAt !== null) {
      await this.events.updated(transaction, account, { date_joined: minuteOf(joinedAt) });
    }
    return joinedAt;
  }
}
