import type { ProxyFault } from '#platform/outbound';
import type { ApnsEnvironment } from '#push/jobs';

/** A rejection by the provider. */
export interface Refusal {
  readonly kind: 'refused';
  /** HTTP status. */
  readonly status: number;
  /** The documented reason; for FCM only the code of its own error detail. */
  readonly reason: string | null;
  /** FCM: the fields of the message that the answer names as invalid: the target, or another one; null if it names none. */
  readonly invalidFields: 'target' | 'other' | null;
  /** From Retry-After; at most an hour. */
  readonly retryAfterMs: number | null;
  /** APNs: since when the token is dead, in UNIX milliseconds. */
  readonly deadSince: number | null;
}

/** The further parts of an answer with which the push service of another server accepts a push. */
interface RelayedAnswer {
  /** The UUID of the organisation at the service. */
  readonly realmUuid: string;
  /** Of the account's devices that get plain text: those that the service does not have. */
  readonly deletedTokens: readonly string[];
  /** Whether it sends for the organisation, in its own words. */
  readonly realm: unknown;
}

/** No answer in time, or the connection was lost. */
interface Unanswered {
  readonly kind: 'unanswered';
  /** `proxy`: there was no way to the provider. `name`: its name does not exist. `busy`: too many other pushes wait for it. */
  readonly reason: 'deadline' | 'connection' | 'proxy' | 'name' | 'busy';
  /** Set if the whole request was on the wire: the push may be delivered. Otherwise it is not. */
  readonly wasSent?: boolean;
  /** The answer that comes after the deadline, while the request is still open; the caller waits for it. */
  readonly late?: Promise<ProviderAnswer>;
}

/** The answer to a push for which the proxy gave no tunnel: nothing was sent. */
export const answerOfProxyFault = ({ isSignInRefused }: Pick<ProxyFault, 'isSignInRefused'>) =>
  isSignInRefused
    ? ({ kind: 'misconfigured', reason: 'proxy' } as const)
    : ({ kind: 'unanswered', reason: 'proxy' } as const);

/** The result of one attempt to send. */
export type ProviderAnswer =
  /** With Apple's environment, if it was unknown before. */
  | {
      readonly kind: 'accepted';
      readonly environment?: ApnsEnvironment;
      /** By which Apple's console finds the push; only in the development environment. */
      readonly uniqueId?: string;
      readonly relayed?: RelayedAnswer;
    }
  | Refusal
  | Unanswered
  /** Not sent: it was withdrawn before it was on the wire. */
  | { readonly kind: 'withdrawn' }
  /** Not sent: the push is invalid. */
  | { readonly kind: 'unsendable'; readonly reason: string }
  /** Not sent: the configuration does not allow to sign in. */
  | { readonly kind: 'misconfigured'; readonly reason: string };

/** A refusal; fields that are left out are null. */
export const refusal = (
  given: Pick<Refusal, 'status' | 'reason'> & Partial<Omit<Refusal, 'kind'>>,
): Refusal => ({
  kind: 'refused',
  invalidFields: null,
  retryAfterMs: null,
  deadSince: null,
  ...given,
});

/** A longer Retry-After is cut. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Parses a `Retry-After` header (RFC 9110, 10.2.3) into milliseconds from `now`, at most an hour; null for any other text.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const isNumber = /^\d+(?:\.\d+)?$/.test(text);
  // The parser takes nearly any text with a number for a time, most for one of the year 2001.
  if (!isNumber && !/^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return null;
  const askedMs = isNumber ? Math.ceil(Number(text) * 1000) : Date.parse(text) - now;
  return Number.isNaN(askedMs) ? null : Math.min(Math.max(askedMs, 0), MAX_RETRY_AFTER_MS);
}
