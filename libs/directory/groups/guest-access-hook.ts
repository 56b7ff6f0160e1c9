import type { Transaction } from '#platform/database';

/** Called for changes of members and subgroups: guests may see all accounts because they belong to a group. */
export interface GuestAccessHook {
  /**
   * Runs in the transaction of the change before it; the function of the result runs in it after the change. A rejection of
   * either rolls the change back.
   */
  changing(
    transaction: Transaction,
    group: { readonly realmId: number; readonly groupId: number },
  ): Promise<() => Promise<void>>;
}

/** DI token of the GuestAccessHook; a program without one only changes the groups. */
export const GUEST_ACCESS_HOOK = Symbol('GuestAccessHook');
