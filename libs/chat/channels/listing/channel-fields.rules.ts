import type { SystemGroupIds } from '#directory/groups';

const DAY_MS = 86_400_000;
const DAYS_PER_WEEK = 7;

/** The days, including today, over which the weekly traffic of a channel is averaged. */
export const TRAFFIC_DAYS = 28;

/** A channel without a message in these days is not recently active. */
const ACTIVE_DAYS = 180;

/** The former numbers of the permission to send, from before permissions were groups. */
const postPolicies = {
  anyone: 1,
  administrators: 2,
  fullMembers: 3,
  moderators: 4,
} as const;

/** The number of the former policy of a group; a group without one counts as anyone. */
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

/** Whether subscribers see earlier messages: as stored, else the default of public or private channels. */
export const isHistoryPublic = (channel: {
  readonly isHistoryPublic: boolean | null;
  readonly isPrivate: boolean;
}): boolean => channel.isHistoryPublic ?? !channel.isPrivate;

/** Days (UTC) since the beginning of 1970. */
export const dayOf = (timeMs: number): number => Math.floor(timeMs / DAY_MS);

/** The first day of the traffic average, as a day number. */
export const firstTrafficDay = (nowMs: number): number => dayOf(nowMs) - TRAFFIC_DAYS + 1;

/**
 * The average number of messages per week, over the last four weeks or the age of the channel if that is shorter.
 * Rounded to two significant digits, and to 0 only without any message. Null for a channel that is younger than a week.
 */
export function weeklyTraffic(messages: number, createdAt: Date, nowMs: number): number | null {
  const ageDays = (nowMs - createdAt.getTime()) / DAY_MS;
  if (ageDays < DAYS_PER_WEEK) return null;
  if (messages === 0) return 0;
  const perWeek = (messages * DAYS_PER_WEEK) / Math.min(ageDays, TRAFFIC_DAYS);
  return Math.max(1, roundToTwoDigits(perWeek));
}

/** Whether a channel had messages in the last 180 days; false for a new channel without messages. */
export const isRecentlyActive = (lastMessageDay: number | null, nowMs: number): boolean =>
  lastMessageDay !== null && dayOf(nowMs) - lastMessageDay <= ACTIVE_DAYS;

function roundToTwoDigits(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / unit) * unit;
}
