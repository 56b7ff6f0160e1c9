import { z } from 'zod';
import { parseJsonOrUndefined } from '#platform/core';
import {
  parseRetryAfter,
  type ProviderAnswer,
  type Refusal,
  refusal,
} from '../transport/provider-answer.rules.js';

/** An HTTP response of Google. */
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
      .array(
        z.object({
          '@type': z.string(),
          errorCode: z.string().optional(),
          fieldViolations: z
            .array(z.object({ field: z.string().default('') }))
            .catch([])
            .default([]),
        }),
      )
      .default([]),
  }),
});

/**
 * Maps a response. The reason is the error code of FCM's own detail only: a bare status may come from a front end
 * of Google and does not concern the token.
 */
export function answerOfFcm(reply: FcmReply, now: number): ProviderAnswer {
  if (reply.status >= 200 && reply.status < 300) return { kind: 'accepted' };
  const details = errorBody.safeParse(parseJsonOrUndefined(reply.body)).data?.error.details ?? [];
  return refusal({
    status: reply.status,
    reason: details.find((detail) => detail['@type'] === FCM_ERROR)?.errorCode ?? null,
    invalidFields: invalidFieldsIn(
      details.filter((detail) => detail['@type'] === BAD_REQUEST).flatMap(fieldsOf),
    ),
    retryAfterMs: parseRetryAfter(reply.retryAfter, now),
  });
}

/** The fields of a message that hold its target. */
const targets: ReadonlySet<string> = new Set(['message.token', 'message.fid']);

const fieldsOf = ({ fieldViolations }: { fieldViolations: readonly { field: string }[] }) =>
  fieldViolations.map(({ field }) => field).filter((field) => field !== '');

function invalidFieldsIn(fields: readonly string[]): Refusal['invalidFields'] {
  if (fields.length === 0) return null;
  return fields.every((field) => targets.has(field)) ? 'target' : 'other';
}

/** Whether the access token was revoked. A 401 with a reason does not concern the access token. */
export const refusesAccessToken = (answer: ProviderAnswer): boolean =>
  answer.kind === 'refused' && answer.status === 401 && answer.reason === null;
