import { z } from 'zod';
import { type ProviderAnswer, refusal } from '../transport/push-transport.js';
import { parseRetryAfter } from '../transport/retry-after.rules.js';

/** What Apple writes below a refusal; the time is in UNIX milliseconds, since when a token is dead. */
const refusalBody = z.object({ reason: z.string(), timestamp: z.coerce.number().optional() });

/** An HTTP answer of Apple's; the body as text, or as JSON that a library has read. */
export interface ApnsReply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

/** What a reply says. Source: Apple, "Handling notification responses from APNs". */
export function answerOfApns({ status, retryAfter, body }: ApnsReply, now: number): ProviderAnswer {
  if (status === 200) return { kind: 'accepted' };
  const said = refusalBody.safeParse(typeof body === 'string' ? jsonOf(body) : body).data;
  return refusal({
    status,
    reason: said?.reason ?? null,
    retryAfterMs: parseRetryAfter(retryAfter, now),
    deadSince: said?.timestamp ?? null,
  });
}

/**
 * Reasons that speak of the connection, so that the next push goes over another one. Apple pins a key to
 * a connection, and one on which provider tokens changed too often stays refused for a while.
 */
const connectionReasons: ReadonlySet<string> = new Set([
  'IdleTimeout',
  'Shutdown',
  'TooManyProviderTokenUpdates',
  'UnrelatedKeyIdInToken',
]);

export const speaksOfConnection = (answer: ProviderAnswer): boolean =>
  answer.kind === 'refused' && connectionReasons.has(answer.reason ?? '');

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
