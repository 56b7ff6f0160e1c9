import { z } from 'zod';
import { parseJsonOrUndefined } from '#platform/core';
import type { Http2Reply } from '../http2/http2-exchange.js';
import {
  parseRetryAfter,
  type ProviderAnswer,
  refusal,
} from '../transport/provider-answer.rules.js';
import type { KnownService } from './web-push-endpoint.rules.js';

/** The facts beside an answer that decide what a refused sign-in means. */
interface SignInFacts {
  /** Null for a host that users have chosen. */
  readonly service: KnownService | null;
  /** Whether the origin has accepted a push with this VAPID key in the last hour: then the key is not at fault. */
  readonly isKeyAccepted: boolean;
}

/** The sign-in was refused, and the key works for others: the client has subscribed with another key. */
export const WRONG_KEY = 'VapidKeyMismatch';
/** The sign-in was refused. */
export const SIGN_IN_REFUSED = 'VapidRefused';

/** Words with which services refuse a sign-in by 400. */
const ABOUT_SIGN_IN = /vapid|jwt|unauthorized ?registration/i;

const APPLE_REASON = /^[A-Za-z]{1,60}$/;
const appleBody = z.object({ reason: z.string().regex(APPLE_REASON) });
const mozillaBody = z.object({ errno: z.int().min(0).max(9999) });

/** Maps a response. Sources: RFC 8030, RFC 8292, and the documentation of Mozilla and Apple. */
export function answerOfWebPush(
  reply: Http2Reply,
  facts: SignInFacts,
  now: number,
): ProviderAnswer {
  const { status } = reply;
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  return refusal({
    status,
    reason: reasonOf(reply, facts),
    retryAfterMs: parseRetryAfter(reply.retryAfter, now),
  });
}

function reasonOf({ status, body }: Http2Reply, facts: SignInFacts): string | null {
  const isSignIn = status === 401 || status === 403 || (status === 400 && ABOUT_SIGN_IN.test(body));
  if (isSignIn) return facts.isKeyAccepted ? WRONG_KEY : SIGN_IN_REFUSED;
  return ofService(facts.service, body);
}

/** The code of a service. Texts of other hosts are shown to nobody. */
function ofService(service: KnownService | null, body: string): string | null {
  if (service === 'apple') {
    return appleBody.safeParse(parseJsonOrUndefined(body)).data?.reason ?? null;
  }
  if (service !== 'mozilla') return null;
  const errno = mozillaBody.safeParse(parseJsonOrUndefined(body)).data?.errno;
  return errno === undefined ? null : `errno ${errno}`;
}
