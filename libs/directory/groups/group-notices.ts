import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';

/** A change of the members of a group by the caller. */
export interface MembershipNotice {
  readonly groupId: number;
  readonly groupName: string;
  readonly addedIds: readonly number[];
  readonly removedIds: readonly number[];
}

/** Stores the notices of the server about groups in the transaction of a change. */
export interface GroupNotices {
  /**
   * For other accounts that the caller has added to a group, or removed from it. The result sends the notices after the
   * commit, and never rejects.
   */
  membersChanged(
    transaction: Transaction,
    caller: Caller,
    change: MembershipNotice,
  ): Promise<() => Promise<void>>;
}

/** DI token of the GroupNotices; a program without it sends none. */
export const GROUP_NOTICES = Symbol('GroupNotices');
