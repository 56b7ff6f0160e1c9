import { ApiError } from '#platform/contracts';
import { z } from 'zod';
import { tenantErrors } from '../tenants.errors.js';

/** The decision of the operator that a server or an organisation may notify no more from some time on. */
export interface Stop {
  readonly stoppedFrom: Date | null;
  readonly stopReason: string | null;
}

/** A stop at the time of its reading. */
export interface CurrentStop extends Stop {
  /** Whether the stop has begun, by the clock of PostgreSQL, which also decides what a stop revokes. */
  readonly isStopped: boolean;
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

/** The status under the stops of a server and of its organisation. */
export function pushStatusOf(stops: readonly CurrentStop[]): PushStatus {
  if (stops.some(({ isStopped }) => isStopped)) {
    return { can_push: false, expected_end_timestamp: null };
  }
  const times = stops.flatMap(({ stoppedFrom }) => stoppedFrom?.getTime() ?? []);
  return {
    can_push: true,
    expected_end_timestamp: times.length === 0 ? null : Math.floor(Math.min(...times) / 1000),
  };
}

/** Throws the ApiError of the protocol if a server or its organisation is stopped. */
export function refuseStopped(
  { hasReported }: { readonly hasReported: boolean },
  stops: readonly CurrentStop[],
): void {
  const stop = stops.find(({ isStopped }) => isStopped);
  if (stop === undefined) return;
  if (!hasReported) throw new ApiError(tenantErrors.planUnknown);
  throw new ApiError(tenantErrors.pushDisallowed, { reason: stop.stopReason ?? DEFAULT_REASON });
}
