import type { NotificationKind } from '#contracts';

/** How long a notification may wait before it is dropped rather than sent late, in milliseconds. */
export type TimeToLive = Readonly<Record<NotificationKind, number>>;

/** DI token of the TimeToLive. */
export const TIME_TO_LIVE = Symbol('TimeToLive');

/** A screen is cleared for as long as the providers keep what they could not show. */
const REMOVE_MS = 86_400_000;

/** Of what somebody is told; what clears a screen may take a day. */
export const timeToLiveOf = (milliseconds: number): TimeToLive => ({
  test: milliseconds,
  message: milliseconds,
  remove: REMOVE_MS,
});
