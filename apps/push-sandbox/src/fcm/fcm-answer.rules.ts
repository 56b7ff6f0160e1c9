import type { ScriptedAnswer } from '../control/scripted-answers.store.js';
import type { PlatformMode } from '../provider/platform.js';
import { retryAfterHeader, type HttpAnswer } from '../provider/http-messages.js';

/** Every error code of FCM v1, with its HTTP status, Google's canonical status and Google's words. */
const fcmErrors = {
  INVALID_ARGUMENT: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'The registration token is not a valid FCM registration token',
  },
  THIRD_PARTY_AUTH_ERROR: {
    code: 401,
    status: 'UNAUTHENTICATED',
    message: 'Auth error from APNS or Web Push Service',
  },
  SENDER_ID_MISMATCH: { code: 403, status: 'PERMISSION_DENIED', message: 'SenderId mismatch' },
  UNREGISTERED: { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' },
  QUOTA_EXCEEDED: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'Message rate exceeded. Retry later.',
  },
  INTERNAL: { code: 500, status: 'INTERNAL', message: 'Internal error encountered.' },
  UNAVAILABLE: {
    code: 503,
    status: 'UNAVAILABLE',
    message: 'The service is currently unavailable.',
  },
} as const;

export type FcmErrorCode = keyof typeof fcmErrors;

// The type of `Object.keys` is string[].
export const fcmErrorCodes = Object.keys(fcmErrors) as FcmErrorCode[];

/** The fault of one field, as in google.rpc.BadRequest. */
interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

interface FcmError {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  readonly errorCode?: FcmErrorCode | undefined;
  readonly violations?: readonly FieldViolation[] | undefined;
  readonly retryAfter?: number | undefined;
}

/** Accepts the message; `name` is Google's id of it. */
export function fcmAccepted(name: string): HttpAnswer {
  return { status: 200, reason: null, headers: jsonType, body: toJson({ name }) };
}

/** A message that breaks a rule of FCM's own: both the FcmError entry and the field at fault. */
export function fcmInvalidMessage(violation: FieldViolation): HttpAnswer {
  const { code, status } = fcmErrors.INVALID_ARGUMENT;
  const message = violation.description;
  return errorWith({
    code,
    status,
    message,
    errorCode: 'INVALID_ARGUMENT',
    violations: [violation],
  });
}

/** JSON that violates the schema of a message: it does not reach FCM, so there is no FcmError entry. */
export function fcmUnreadableMessage(violation: FieldViolation): HttpAnswer {
  const { code, status } = fcmErrors.INVALID_ARGUMENT;
  return errorWith({ code, status, message: violation.description, violations: [violation] });
}

/** An invalid token: only the FcmError entry distinguishes it from an invalid message. */
export function fcmInvalidToken(): HttpAnswer {
  return errorWith({ ...fcmErrors.INVALID_ARGUMENT, errorCode: 'INVALID_ARGUMENT' });
}

/** A dead token or installation id. */
export function fcmUnregistered(): HttpAnswer {
  return errorWith({ ...fcmErrors.UNREGISTERED, errorCode: 'UNREGISTERED' });
}

/** The bearer token is missing or invalid. */
export function fcmUnauthenticated(): HttpAnswer {
  return errorWith({
    code: 401,
    status: 'UNAUTHENTICATED',
    message:
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
  });
}

/** An unknown project or path. */
export function fcmNotFound(): HttpAnswer {
  const { code, status, message } = fcmErrors.UNREGISTERED;
  return errorWith({ code, status, message });
}

/** The answer of a mode to every request; undefined if the mode does not decide. */
export function fcmAnswerOfMode(mode: PlatformMode): HttpAnswer | undefined {
  if (mode.mode === 'throttle') {
    const errorCode = 'QUOTA_EXCEEDED';
    return errorWith({ ...fcmErrors[errorCode], errorCode, retryAfter: mode.retry_after });
  }
  if (mode.mode === 'bad_credentials') {
    const errorCode = 'THIRD_PARTY_AUTH_ERROR';
    return errorWith({ ...fcmErrors[errorCode], errorCode });
  }
  return undefined;
}

/**
 * The scripted answer for a token. The reason decides the body, and the status if none is given. A status without a
 * reason has no FcmError entry, like an answer of a front end of Google.
 */
export function fcmScriptedAnswer(script: ScriptedAnswer, name: string): HttpAnswer {
  const errorCode = fcmErrorCodes.find((known) => known === script.reason);
  const error = errorCode === undefined ? errorOfStatus(script.status) : fcmErrors[errorCode];
  const code = script.status ?? error.code;
  if (code === 200) return fcmAccepted(name);
  const { status, message } = error;
  return errorWith({
    code,
    status,
    message,
    errorCode: script.with_details === false ? undefined : errorCode,
    violations: script.bad_request?.map((field) => ({ field, description: message })),
    retryAfter: script.retry_after,
  });
}

const jsonType = { 'content-type': 'application/json; charset=UTF-8' };

function errorOfStatus(status = 500): Pick<FcmError, 'code' | 'status' | 'message'> {
  const known = Object.values(fcmErrors).find(({ code }) => code === status);
  return known ?? { code: status, status: 'UNKNOWN', message: 'Unknown Error.' };
}

function errorWith(error: FcmError): HttpAnswer {
  const { code, status, message, errorCode, violations, retryAfter } = error;
  const details = [
    ...(errorCode === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }]),
    ...(violations === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }]),
  ];
  return {
    status: code,
    reason: errorCode ?? status,
    headers: { ...jsonType, ...retryAfterHeader(retryAfter) },
    body: toJson({
      error: { code, message, status, ...(details.length > 0 && { details }) },
    }),
  };
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
