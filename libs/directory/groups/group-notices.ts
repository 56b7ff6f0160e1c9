import type { Caller } from '#platform/contracts';

/** A change of the members of a group by the caller. */
export interface NoticedMembers {
  readonly groupId: number;
  readonly groupName: string;
  readonly addedIds: readonly number[];
  readonly removedIds: readonly number[];
}

/** Sends the notices of the server about groups. No method rejects, and a lost notice is not sent again. */
export interface GroupNotices {
  /** Tells other accounts that the caller has added them to a group, or removed them from it. */
  membersChanged(caller: Caller, change: NoticedMembers): Promise<void>;
}

/** DI token of the GroupNotices; a program without it sends none. */
export const GROUP_NOTICES = Symbol('GroupNotices');
