import { type HttpAnswer, retryAfterHeader } from '../provider/http-messages.js';
import type { ScriptedAnswer } from '../control/scripted-answers.store.js';
import type { PlatformMode } from '../provider/platform.js';

/** The largest body that every service takes. */
export const LARGEST_BODY_BYTES = 4096;
const LONGEST_TTL_SECONDS = 2_592_000;
const TOPIC = /^[\w-]{1,32}$/;
const urgencies: ReadonlySet<string> = new Set(['very-low', 'low', 'normal', 'high']);

/** One request to a push resource. */
interface WebPushRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The answer to a push that breaks a rule of RFC 8030 or 8188; undefined if it breaks none. */
export function faultOfPush({ method, headers, body }: WebPushRequest): HttpAnswer | undefined {
  if (method !== 'POST') return webAnswer(405, 'only POST');
  if (ttlOf(headers) === null) return webAnswer(400, 'missing TTL header');
  if (!urgencies.has(headers['urgency'] ?? 'normal')) return webAnswer(400, 'invalid urgency');
  if (!TOPIC.test(headers['topic'] ?? 'none')) return webAnswer(400, 'invalid topic');
  if (body.length > LARGEST_BODY_BYTES) return webAnswer(413, 'the message is too large');
  if (body.length > 0 && headers['content-encoding'] !== 'aes128gcm') {
    return webAnswer(400, 'unknown content encoding');
  }
  return undefined;
}

/** For how long the push is kept, in seconds; null without a valid header. */
export function ttlOf({ ttl }: Readonly<Record<string, string>>): number | null {
  if (ttl === undefined || !/^\d{1,12}$/.test(ttl)) return null;
  return Math.min(Number(ttl), LONGEST_TTL_SECONDS);
}

/** Accepts the push: `location` names it. */
export const webAccepted = (location: string, ttl: number): HttpAnswer => ({
  status: 201,
  reason: null,
  headers: { location, ttl: String(ttl) },
  body: '',
});

/** A refusal with a text. */
export const webAnswer = (status: number, reason: string, retryAfter?: number): HttpAnswer => ({
  status,
  reason,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...retryAfterHeader(retryAfter) },
  body: reason,
});

/** The answer of a mode to every request; undefined if the mode does not decide. */
export function webAnswerOfMode(mode: PlatformMode): HttpAnswer | undefined {
  if (mode.mode === 'throttle') return webAnswer(429, 'too many requests', mode.retry_after);
  return mode.mode === 'bad_credentials' ? webAnswer(403, 'VAPID sign-in refused') : undefined;
}

/** The scripted answer of a subscription; without a reason its body is empty. */
export function webScriptedAnswer(script: ScriptedAnswer, accepted: HttpAnswer): HttpAnswer {
  const { status = 201, reason, retry_after: retryAfter } = script;
  if (status === accepted.status) return accepted;
  if (reason !== undefined) return webAnswer(status, reason, retryAfter);
  return { status, reason: null, headers: retryAfterHeader(retryAfter), body: '' };
}
