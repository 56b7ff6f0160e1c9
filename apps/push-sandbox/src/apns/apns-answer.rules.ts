import { randomUUID } from 'node:crypto';
import type { ScriptedAnswer } from '../control/scripted-answers.store.js';
import type { PlatformMode } from '../provider/platform.js';
import { retryAfterHeader, type HttpAnswer } from '../provider/http-messages.js';

/** Every reason that Apple documents, with its status. */
const apnsStatuses = {
  BadCollapseId: 400,
  BadDeviceToken: 400,
  BadExpirationDate: 400,
  BadMessageId: 400,
  BadPriority: 400,
  BadTopic: 400,
  DeviceTokenNotForTopic: 400,
  DuplicateHeaders: 400,
  IdleTimeout: 400,
  InvalidPushType: 400,
  MissingDeviceToken: 400,
  MissingTopic: 400,
  PayloadEmpty: 400,
  TopicDisallowed: 400,
  BadCertificate: 403,
  BadCertificateEnvironment: 403,
  BadEnvironmentKeyIdInToken: 403,
  ExpiredProviderToken: 403,
  Forbidden: 403,
  InvalidProviderToken: 403,
  MissingProviderToken: 403,
  UnrelatedKeyIdInToken: 403,
  BadPath: 404,
  MethodNotAllowed: 405,
  ExpiredToken: 410,
  Unregistered: 410,
  PayloadTooLarge: 413,
  TooManyProviderTokenUpdates: 429,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
  Shutdown: 503,
} as const;

export type ApnsReason = keyof typeof apnsStatuses;

/** Apple's status for a reason; undefined for an unknown reason. */
export function apnsStatusOf(reason: string): number | undefined {
  return Object.entries(apnsStatuses).find(([known]) => known === reason)?.[1];
}

/** Accepts the notification. */
export function apnsAccepted(apnsId: string): HttpAnswer {
  return { status: 200, reason: null, headers: { 'apns-id': apnsId }, body: '' };
}

/** Apple's development environment names each push that it accepts. */
export const withUniqueId = (answer: HttpAnswer): HttpAnswer =>
  answer.status === 200
    ? { ...answer, headers: { ...answer.headers, 'apns-unique-id': randomUUID() } }
    : answer;

/** Refuses with one of Apple's reasons, its status and its body. */
export function apnsRefusal(reason: ApnsReason, apnsId: string, retryAfter?: number): HttpAnswer {
  return refusalWith({ status: apnsStatuses[reason], reason, retryAfter, apnsId });
}

/** The answer of a mode to every request; undefined if the mode does not decide. */
export function apnsAnswerOfMode(mode: PlatformMode, apnsId: string): HttpAnswer | undefined {
  if (mode.mode === 'throttle') return apnsRefusal('TooManyRequests', apnsId, mode.retry_after);
  if (mode.mode === 'bad_credentials') return apnsRefusal('InvalidProviderToken', apnsId);
  return undefined;
}

/**
 * The scripted answer for a token. A reason without a status has Apple's status. A status without a reason has an
 * empty body, like a failing server. A script with neither, which only sets the environment, accepts. 410 has the
 * time since when the token is dead: `timestamp`, or now.
 */
export function apnsScriptedAnswer(script: ScriptedAnswer, apnsId: string, now: Date): HttpAnswer {
  const { reason, retry_after: retryAfter } = script;
  if (script.status === undefined && reason === undefined) return apnsAccepted(apnsId);
  const status = script.status ?? apnsStatusOf(reason ?? '') ?? 500;
  if (status === 200) return apnsAccepted(apnsId);
  if (reason === undefined) {
    const headers = { 'apns-id': apnsId, ...retryAfterHeader(retryAfter) };
    return { status, reason: null, headers, body: '' };
  }
  const timestamp = script.timestamp ?? (status === 410 ? now.getTime() : undefined);
  return refusalWith({ status, reason, timestamp, retryAfter, apnsId });
}

interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly apnsId: string;
  readonly timestamp?: number | undefined;
  readonly retryAfter?: number | undefined;
}

function refusalWith({ status, reason, apnsId, timestamp, retryAfter }: Refusal): HttpAnswer {
  return {
    status,
    reason,
    headers: {
      'apns-id': apnsId,
      'content-type': 'application/json',
      ...retryAfterHeader(retryAfter),
    },
    body: JSON.stringify(timestamp === undefined ? { reason } : { reason, timestamp }),
  };
}
