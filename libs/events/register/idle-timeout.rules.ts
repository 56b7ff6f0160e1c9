import { ApiError } from '#platform/contracts';
import { registerErrors } from './register.errors.js';

export const DEFAULT_IDLE_SECONDS = 600;
const MOBILE_IDLE_SECONDS = 43_200;
const MAX_IDLE_SECONDS = 604_800;

/** The lifetime that a client asked for, in seconds and at most a week; null for an invalid text. */
export function idleSecondsOf(given: string): number | null {
  if (given === 'mobile' || given === '"mobile"') return MOBILE_IDLE_SECONDS;
  if (!/^\d+$/.test(given)) return null;
  const seconds = Number(given);
  return seconds < 1 ? null : Math.min(seconds, MAX_IDLE_SECONDS);
}

/** The error for a text that `idleSecondsOf` rejects. */
export const refuseIdleTimeout = (given: string): ApiError =>
  new ApiError(
    /^(?:0+|-\d+)$/.test(given)
      ? registerErrors.idleTimeoutTooSmall
      : registerErrors.invalidIdleTimeout,
  );
