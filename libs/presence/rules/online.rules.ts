import type { PresenceTiming } from './presence-timing.js';
import type { PresenceState } from './merge.rules.js';

type Timing = Pick<PresenceTiming, 'offlineThresholdSeconds'>;

/** Whether viewers see that a user is active: not deactivated, not invisible, and active within the offline threshold. */
export const isOnline = (
  { activeAt, hiddenAt, isDeactivated }: PresenceState,
  { offlineThresholdSeconds }: Timing,
  nowSeconds: number,
): boolean =>
  !isDeactivated && activeAt >= hiddenAt && nowSeconds - activeAt <= offlineThresholdSeconds;

/** Whether a user who was offline or idle for the offline threshold becomes active with a change. */
export const comesOnline = (
  before: PresenceState | undefined,
  after: PresenceState,
  timing: Timing,
): boolean =>
  isOnline(after, timing, after.activeAt) &&
  after.activeAt - (before?.activeAt ?? 0) > timing.offlineThresholdSeconds;
