import { ApiError } from '#platform/contracts';
import { z } from 'zod';
import { remoteErrors } from '../remotes.errors.js';

/** The decision of the operator that a server or an organisation may notify no more from some time on. */
export interface Stop {
  readonly stoppedFrom: Date | null;
  readonly stopReason: string | null;
}

/** Whether an organisation may notify, in the form of the response to its server. */
export interface PushStatus {
  readonly can_push: boolean;
  /** UNIX seconds; null without a stop, and after it. */
  readonly expected_end_timestamp: number | null;
}

/** A PushStatus in a schema of responses. */
export const pushStatus = z.object({
  can_push: z.boolean(),
  expected_end_timestamp: z.int().nullable(),
}) satisfies z.ZodType<PushStatus>;

const DEFAULT_REASON = 'Stopped by the operator of the service.';

/** The status under the stops of a server and of its organisation. `now` is in UNIX milliseconds. */
export function pushStatusOf(stops: readonly Stop[], now: number): PushStatus {
  const times = stops.flatMap(({ stoppedFrom }) => stoppedFrom?.getTime() ?? []);
  const first = Math.min(...times);
  if (times.length === 0) return { can_push: true, expected_end_timestamp: null };
  return first <= now
    ? { can_push: false, expected_end_timestamp: null }
    : { can_push: true, expected_end_timestamp: Math.floor(first / 1000) };
}

/** Throws the ApiError of the protocol if a server or its organisation is stopped. */
export function refuseStopped(
  { hasReported }: { readonly hasReported: boolean },
  stops: readonly Stop[],
  now: number,
): void {
  const stop = stops.find(
    ({ stoppedFrom }) => stoppedFrom !== null && stoppedFrom.getTime() <= now,
  );
  if (stop === undefined) return;
  if (!hasReported) throw new ApiError(remoteErrors.planUnknown);
  throw new ApiError(remoteErrors.pushDisallowed, { reason: stop.stopReason ?? DEFAULT_REASON });
}
