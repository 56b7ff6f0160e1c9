const DAY_MS = 86_400_000;
const DAYS_PER_WEEK = 7;

/** The days, today among them, whose messages tell a channel's weekly traffic. */
export const TRAFFIC_DAYS = 28;

/** A channel without a message in as many days is not recently active. */
const ACTIVE_DAYS = 180;

/** Days (UTC) since the beginning of 1970. */
export const dayOf = (timeMs: number): number => Math.floor(timeMs / DAY_MS);

/** The first of the days that a channel's weekly traffic is told by. */
export const firstTrafficDay = (nowMs: number): number => dayOf(nowMs) - TRAFFIC_DAYS + 1;

/**
 * About how many messages a week a channel sees, by those of the last four weeks, or of its life where
 * that is shorter: rounded to two significant digits, and to 0 only when there was none. Null for a
 * channel of less than a week.
 */
export function weeklyTraffic(messages: number, createdAt: Date, nowMs: number): number | null {
  const ageDays = (nowMs - createdAt.getTime()) / DAY_MS;
  if (ageDays < DAYS_PER_WEEK) return null;
  if (messages === 0) return 0;
  const perWeek = (messages * DAYS_PER_WEEK) / Math.min(ageDays, TRAFFIC_DAYS);
  return Math.max(1, roundToTwoDigits(perWeek));
}

/** Whether a channel had messages in the last 180 days; one that never had any is not active, however new. */
export const isRecentlyActive = (lastMessageDay: number | null, nowMs: number): boolean =>
  lastMessageDay !== null && dayOf(nowMs) - lastMessageDay <= ACTIVE_DAYS;

function roundToTwoDigits(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / unit) * unit;
}
