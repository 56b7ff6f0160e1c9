import type { Transaction } from '#platform/database';
import type { ObjectPermissions } from './group-uses.repository.js';

/** The accounts whose memberships a change concerns: these, and the members of these groups. */
export interface ConcernedAccounts {
  readonly userIds: readonly number[];
  /** The members of these groups must not change. */
  readonly membersOf: readonly number[];
}

/** A change of the members of groups, or of the groups of an account: of its role, or of the date at which it joined. */
export type MembershipChange =
  | {
      readonly realmId: number;
      readonly groupIds: readonly number[];
      readonly concerned: ConcernedAccounts;
    }
  | { readonly realmId: number; readonly userId: number };

/** The hook of a higher capability, which adds its own events to changes of memberships. */
export interface MembershipHook {
  /**
   * Runs in the transaction of the change before it; the function of the result runs in it after the change and its
   * events. A rejection of either rolls the change back.
   */
  changing(transaction: Transaction, change: MembershipChange): Promise<() => Promise<void>>;
  /** The channels with permissions that the groups hold, archived ones left out. */
  permissionsOf(
    transaction: Transaction,
    realmId: number,
    groupIds: readonly number[],
  ): Promise<readonly ObjectPermissions[]>;
  /** Adds the events of permissions whose groups without a name have lost or got back deactivated members. */
  holdersChanged(
    transaction: Transaction,
    realmId: number,
    groupIds: readonly number[],
  ): Promise<void>;
}

/** DI token of the MembershipHook; a program without one only changes the memberships. */
export const MEMBERSHIP_HOOK = Symbol('MembershipHook');
