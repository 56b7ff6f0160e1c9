import type { SystemGroupIds } from '#user-groups';

/** Who may send messages, as clients asked before there were groups for it. */
const postPolicies = {
  anyone: 1,
  administrators: 2,
  fullMembers: 3,
  moderators: 4,
} as const;

/** The number of the nearest of the former policies; a group that has none counts as anyone. */
export function postPolicyOf(canSendMessageId: number, systemGroups: SystemGroupIds): number {
  switch (canSendMessageId) {
    case systemGroups['role:administrators']:
      return postPolicies.administrators;
    case systemGroups['role:fullmembers']:
      return postPolicies.fullMembers;
    case systemGroups['role:moderators']:
      return postPolicies.moderators;
    default:
      return postPolicies.anyone;
  }
}

/** Whether only administrators may send messages. */
export const isForAnnouncements = (postPolicy: number): boolean =>
  postPolicy === postPolicies.administrators;

/** Whether subscribers see what was said before they came: as stored, or as is usual of the channel's kind. */
export const isHistoryPublic = (channel: {
  readonly isHistoryPublic: boolean | null;
  readonly isPrivate: boolean;
}): boolean => channel.isHistoryPublic ?? !channel.isPrivate;
