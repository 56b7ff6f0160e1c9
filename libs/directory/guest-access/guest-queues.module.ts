import { Global, Injectable, Module } from '@nestjs/common';
import { GUEST_ACCESS_HOOK, type GuestAccessHook } from '#directory/groups';
import { AccountQueues, QueuesModule } from '#events/queues';
import type { Transaction } from '#platform/database';
import { GuestAccessModule } from './guest-access.module.js';
import { VisibleUsersRepository } from './visible-users.repository.js';

/**
 * Ends the event queues of guests that see all accounts from now on, or only some: no bounded number of events could tell
 * the difference.
 */
@Injectable()
class GuestQueues implements GuestAccessHook {
  constructor(
    private readonly visible: VisibleUsersRepository,
    private readonly queues: AccountQueues,
  ) {}

  async changing(
    transaction: Transaction,
    { realmId, groupId }: { readonly realmId: number; readonly groupId: number | null },
  ): Promise<() => Promise<void>> {
    const before = await this.visible.guestsSeeingAllVia(realmId, groupId, transaction);
    return async () => {
      // A change of other groups changes no access.
      if (before === null) return;
      const after = (await this.visible.guestsSeeingAllVia(realmId, groupId, transaction)) ?? [];
      const changed = [...exceptOf(before, after), ...exceptOf(after, before)];
      if (changed.length > 0) await this.queues.removeAll(transaction, realmId, changed);
    };
  }
}

function exceptOf(ids: readonly number[], others: readonly number[]): number[] {
  const excluded = new Set(others);
  return ids.filter((id) => !excluded.has(id));
}

/** The hook of a program that changes groups and has event queues; needs DatabaseModule and RedisModule. */
@Global()
@Module({
  imports: [GuestAccessModule, QueuesModule],
  providers: [GuestQueues, { provide: GUEST_ACCESS_HOOK, useExisting: GuestQueues }],
  exports: [GUEST_ACCESS_HOOK],
})
export class GuestQueuesModule {}
