import { ApiError } from '#platform/contracts';
import { errorCode, parseJsonOrUndefined } from '#platform/core';
import { ProxyFault } from '#platform/outbound';
import { answerOfProxyFault, parseRetryAfter, type ProviderAnswer, refusal } from '#push/providers';
import { relayErrors } from './relay.errors.js';

/** The members of an answer, as they came. */
type AnswerBody = Readonly<Record<string, unknown>>;

/** How a request to the push service ended. */
export type ServiceAnswer =
  | { readonly kind: 'ok'; readonly body: AnswerBody }
  /** `fault` is a name that users see. */
  | {
      readonly kind: 'unreachable';
      readonly fault: ConnectionFault;
      /** Whether the whole request was on the wire: the service may have carried it out. Otherwise it has not. */
      readonly wasSent: boolean;
      /** Whether the proxy refuses its own sign-in. */
      readonly isSignInRefused?: boolean;
    }
  /** It cannot answer now: the status is 5xx, or 429 of something else. */
  | {
      readonly kind: 'server_error';
      readonly status: number;
      readonly retryAfterMs: number | null;
    }
  /** An error of the protocol: JSON with a text. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string;
      readonly msg: string;
      readonly retryAfterMs: number | null;
    }
  /** Not of the protocol: another status, no JSON or that of a gateway before the service, 404 for the path, or 200 without success. */
  | { readonly kind: 'unexpected'; readonly status: number };

/** The end of a request that did not succeed. */
export type FailedAnswer = Exclude<ServiceAnswer, { kind: 'ok' }>;

/** Why there was no response; apps show these names. */
type ConnectionFault = 'ConnectionError' | 'ProxyError' | 'ReadTimeout' | 'SSLError';

/** An HTTP response with its whole body. */
export interface ServiceResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

/** Longer texts of a service are cut. */
const MAX_TEXT_LENGTH = 500;

/** The codes of a 404 for the path: the service is switched off, or the address leads to another server. */
const UNKNOWN_PATH = new Set<unknown>([undefined, 'NOT_FOUND', 'NONEXISTENT_SUBDOMAIN']);

/** Classifies a response. `now` is in UNIX milliseconds. */
export function answerOf(
  { status, retryAfter, text }: ServiceResponse,
  now: number,
): ServiceAnswer {
  const retryAfterMs = parseRetryAfter(retryAfter ?? undefined, now);
  if (status >= 500) return { kind: 'server_error', status, retryAfterMs };
  const body = jsonObject(text) ?? {};
  // Another server behind the address may answer 200 with its own JSON.
  if (status === 200 && body['result'] === 'success') return { kind: 'ok', body };
  const { code, msg } = body;
  const isUnknownPath = status === 404 && UNKNOWN_PATH.has(code);
  if (status < 400 || isUnknownPath || typeof msg !== 'string') {
    // A proxy before the service limits the rate with a page of its own.
    return status === 429
      ? { kind: 'server_error', status, retryAfterMs }
      : { kind: 'unexpected', status };
  }
  return {
    kind: 'refused',
    status,
    code: typeof code === 'string' ? code.slice(0, MAX_TEXT_LENGTH) : 'BAD_REQUEST',
    msg: msg.slice(0, MAX_TEXT_LENGTH),
    retryAfterMs,
  };
}

function jsonObject(text: string): AnswerBody | null {
  const value = parseJsonOrUndefined(text);
  // The members of an object have names.
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as AnswerBody)
    : null;
}

/** Whether the code of an error of Node is that of a failed TLS handshake. */
export const isTlsFault = (code: string): boolean =>
  /^ERR_(?:SSL|TLS)|CERT|SELF_SIGNED|^UNABLE_TO_|^EPROTO$/.test(code);

/** The fault of a request that had no response in time. */
export function connectionFaultOf(error: unknown): ConnectionFault {
  if (error instanceof ProxyFault) return 'ProxyError';
  return isTlsFault(String(errorCode(error))) ? 'SSLError' : 'ConnectionError';
}

/** The code for an organisation that the service does not know: an upload repairs it. */
export const MISSING_REALM = 'MISSING_REMOTE_REALM';

/** What a code of the protocol says besides that the request was refused. */
interface CodeMeaning {
  /** The registration itself is at fault; apps know the code. */
  readonly isOfRegistration?: boolean;
  /** The service does not send for the organisation, until an operator or an upload repairs that. */
  readonly isOfRealm?: boolean;
  /** Only the operator of this server can repair it. */
  readonly isForOperator?: boolean;
}

const MEANINGS: ReadonlyMap<string | null, CodeMeaning> = new Map([
  ['INVALID_BOUNCER_PUBLIC_KEY', { isOfRegistration: true }],
  ['INVALID_ENCRYPTED_PUSH_REGISTRATION', { isOfRegistration: true }],
  ['REQUEST_EXPIRED', { isOfRegistration: true }],
  ['INVALID_ZULIP_SERVER', { isForOperator: true }],
  [MISSING_REALM, { isOfRealm: true }],
  ['PUSH_NOTIFICATIONS_DISALLOWED', { isOfRealm: true, isForOperator: true }],
]);

/** The meaning of a code of the push service; empty for any other code, and without one. */
export const meaningOf = (code: string | null): CodeMeaning => MEANINGS.get(code) ?? {};

/** Whether the service refuses this server, so that every request would fail. */
const isServerRefused = (answer: ServiceAnswer): boolean =>
  answer.kind === 'refused' && (answer.status === 401 || answer.code === 'INVALID_ZULIP_SERVER');

/** Whether the same request may succeed later. */
export const isTemporary = (answer: FailedAnswer): boolean =>
  answer.kind !== 'refused' || answer.status === 429 || isServerRefused(answer);

/** For the log and the reasons of deliveries. */
export function faultText(answer: FailedAnswer): string {
  switch (answer.kind) {
    case 'unreachable':
      return `${answer.fault} while connecting to the push service`;
    case 'refused':
      return `the push service answers ${answer.status} ${answer.code}: ${answer.msg}`;
    default:
      return `the push service answers ${answer.status}`;
  }
}

/** The error of a request that waits for the service, for requests of apps with the older endpoints. */
export function legacyErrorOf(answer: FailedAnswer): ApiError {
  switch (answer.kind) {
    case 'unreachable':
      return new ApiError(relayErrors.serviceNotReached, { name: answer.fault });
    case 'server_error':
      return new ApiError(relayErrors.serviceFailed, { status: answer.status });
    case 'unexpected':
      return new ApiError(relayErrors.serviceAnswersUnexpectedly, { status: answer.status });
    case 'refused':
      return meaningOf(answer.code).isForOperator === true
        ? new ApiError(relayErrors.serviceRefusesServer, { msg: answer.msg })
        : new ApiError(relayErrors.serviceRefuses, { msg: answer.msg });
  }
}

/** The error of an encrypted test notification. */
export function encryptedErrorOf(answer: FailedAnswer): ApiError {
  if (answer.kind === 'unreachable') return new ApiError(relayErrors.failedToConnect);
  if (answer.kind === 'server_error') return new ApiError(relayErrors.internalErrorOfService);
  return new ApiError(relayErrors.adminActionRequired);
}

/** A failed request as the pipeline of deliveries knows it from Apple and Google. */
export function providerAnswerOf(answer: FailedAnswer): ProviderAnswer {
  switch (answer.kind) {
    case 'unreachable':
      if (answer.fault === 'ProxyError') {
        return answerOfProxyFault({ isSignInRefused: answer.isSignInRefused ?? false });
      }
      return {
        kind: 'unanswered',
        reason: answer.fault === 'ReadTimeout' ? 'deadline' : 'connection',
        ...(answer.wasSent && { wasSent: true }),
      };
    case 'server_error':
      return refusal({ status: answer.status, reason: null, retryAfterMs: answer.retryAfterMs });
    case 'unexpected':
      // A proxy may have cut off the answer.
      return answer.status === 200
        ? { kind: 'unanswered', reason: 'connection', wasSent: true }
        : { kind: 'misconfigured', reason: faultText(answer) };
    case 'refused':
      if (isServerRefused(answer)) return { kind: 'misconfigured', reason: faultText(answer) };
      return refusal({
        status: answer.status,
        reason: answer.status === 429 ? null : answer.code,
        retryAfterMs: answer.retryAfterMs,
      });
  }
}
