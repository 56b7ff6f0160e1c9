import { z } from 'zod';
import { parseJsonOrUndefined } from '#platform/core';
import {
  parseRetryAfter,
  type ProviderAnswer,
  refusal,
} from '../transport/provider-answer.rules.js';

/** The body of a refusal. `timestamp`: since when the token is dead, in UNIX milliseconds; any other value is ignored. */
const refusalBody = z.object({
  reason: z.string(),
  timestamp: z.coerce.number().nonnegative().optional().catch(undefined),
});

/** An HTTP response of Apple; the body as text or as parsed JSON. */
interface ApnsReply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
  readonly uniqueId?: string;
}

/** Maps a response. Source: Apple, "Handling notification responses from APNs". */
export function answerOfApns(
  { status, retryAfter, body, uniqueId }: ApnsReply,
  now: number,
): ProviderAnswer {
  if (status === 200) return { kind: 'accepted', ...(uniqueId !== undefined && { uniqueId }) };
  const parsed = refusalBody.safeParse(
    typeof body === 'string' ? parseJsonOrUndefined(body) : body,
  ).data;
  return refusal({
    status,
    reason: parsed?.reason ?? null,
    retryAfterMs: parseRetryAfter(retryAfter, now),
    // A time in the future would concern registrations that are still to come.
    deadSince: parsed?.timestamp === undefined ? null : Math.min(parsed.timestamp, now),
  });
}

/**
 * Reasons that concern the connection: the next push needs another one. Apple binds a key to a connection, and
 * rejects a connection on which provider tokens changed too often for a while.
 */
const connectionReasons: ReadonlySet<string> = new Set([
  'IdleTimeout',
  'Shutdown',
  'TooManyProviderTokenUpdates',
  'UnrelatedKeyIdInToken',
]);

/**
 * Reasons that another connection may cure: Apple binds a connection to the apps and keys that the team had at its first push.
 * A topic or key that is wrong for good is refused on each connection, so such a renewal has a least distance.
 */
const renewalReasons: ReadonlySet<string> = new Set([
  'BadEnvironmentKeyIdInToken',
  'TopicDisallowed',
]);
const RENEWAL_MS = 60_000;

/** Decides for the connections of one transport whether one must not be used again. */
export class ConnectionPolicy {
  #renewedAt = -Infinity;

  /** `now` is a time of `performance.now()`. */
  retires(answer: ProviderAnswer, now: number): boolean {
    if (answer.kind !== 'refused' || answer.reason === null) return false;
    if (connectionReasons.has(answer.reason)) return true;
    if (!renewalReasons.has(answer.reason) || now - this.#renewedAt < RENEWAL_MS) return false;
    this.#renewedAt = now;
    return true;
  }
}
