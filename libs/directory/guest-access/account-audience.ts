import { Injectable } from '@nestjs/common';
import { EventLog, type NewEvent } from '#events/log';
import type { Transaction } from '#platform/database';
import { VisibleUsersRepository } from './visible-users.repository.js';

/** The guests that cannot see an account, by its id. Accounts that everyone may see are left out. */
type GuestsByAccount = ReadonlyMap<number, readonly number[]>;

/**
 * Adds the events about accounts that not everyone may see. The guests are read late: an account that becomes visible to
 * a guest at the same time either has the change already, or the guest gets its event.
 */
@Injectable()
export class AccountAudience {
  constructor(
    private readonly visible: VisibleUsersRepository,
    private readonly log: EventLog,
  ) {}

  /** Adds the events that `eventsFor` makes, in the order of the calls of the log. It may read, and must lock nothing. */
  async append(
    transaction: Transaction,
    { realmId, userIds }: { readonly realmId: number; readonly userIds: readonly number[] },
    eventsFor: (
      hidden: GuestsByAccount,
      transaction: Transaction,
    ) => readonly NewEvent[] | Promise<readonly NewEvent[]>,
  ): Promise<void> {
    if (!(await this.visible.areGuestsLimited(realmId, transaction))) {
      this.log.append(transaction, ...(await eventsFor(new Map(), transaction)));
      return;
    }
    const read = async (late: Transaction) =>
      eventsFor(await this.visible.guestsNotSeeing(realmId, userIds, late), late);
    this.log.append(transaction, { realmId, read });
  }
}
