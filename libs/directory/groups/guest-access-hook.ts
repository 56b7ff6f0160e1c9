import type { Transaction } from '#platform/database';

/** Called for changes of the group whose members may see all accounts, guests included, and of its members. */
export interface GuestAccessHook {
  /**
   * Runs in the transaction of the change before it; the function of the result runs in it after the change. A rejection of
   * either rolls the change back. `groupId` is the group whose members or subgroups change; null if the organisation gives
   * the permission to another group.
   */
  changing(
    transaction: Transaction,
    change: { readonly realmId: number; readonly groupId: number | null },
  ): Promise<() => Promise<void>>;
}

/** DI token of the GuestAccessHook; a program without one only changes the groups. */
export const GUEST_ACCESS_HOOK = Symbol('GuestAccessHook');
