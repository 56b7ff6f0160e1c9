import { z } from 'zod';
import { type ProviderAnswer, refusal } from '../transport/push-transport.js';
import { parseRetryAfter } from '../transport/retry-after.rules.js';

/** An HTTP answer of Google's, in full. */
export interface FcmReply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';

/** https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode */
const errorBody = z.object({
  error: z.object({
    details: z
      .array(z.object({ '@type': z.string(), errorCode: z.string().optional() }))
      .default([]),
  }),
});

/**
 * What a reply says. The reason is the error code of FCM's own detail and nothing else: a bare status,
 * as Google's front ends give it, says nothing about a token.
 */
export function answerOfReply(reply: FcmReply, now: number): ProviderAnswer {
  if (reply.status >= 200 && reply.status < 300) return { kind: 'accepted' };
  const details = detailsOf(reply.body);
  return refusal({
    status: reply.status,
    reason: details.find((detail) => detail['@type'] === FCM_ERROR)?.errorCode ?? null,
    namesFields: details.some((detail) => detail['@type'] === BAD_REQUEST),
    retryAfterMs: parseRetryAfter(reply.retryAfter, now),
  });
}

function detailsOf(body: string) {
  try {
    return errorBody.parse(JSON.parse(body)).error.details;
  } catch {
    return [];
  }
}

/** A token that was taken back before its time; with a reason it is not the token that is refused. */
export const refusesAccessToken = (answer: ProviderAnswer): boolean =>
  answer.kind === 'refused' && answer.status === 401 && answer.reason === null;
