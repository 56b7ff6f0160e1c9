import type { Transaction } from '#platform/database';

/** A change of the members of groups, or of the role of an account. */
export type MembershipChange =
  | { readonly realmId: number; readonly groupIds: readonly number[] }
  | { readonly realmId: number; readonly userId: number };

/** Called around changes of memberships, so that a higher capability can add its own events. */
export interface MembershipHook {
  /**
   * Runs in the transaction of the change before it; the function of the result runs in it after the change and its
   * events. A rejection of either rolls the change back.
   */
  changing(transaction: Transaction, change: MembershipChange): Promise<() => Promise<void>>;
}

/** DI token of the MembershipHook; a program without one only changes the memberships. */
export const MEMBERSHIP_HOOK = Symbol('MembershipHook');
