import type { Outcome } from '../deliver/outcome-policy.rules.js';

/** Why the way to a provider is shut. */
export type GateCause = 'outage' | 'throttled' | 'misconfigured';

/** An outcome that speaks against the provider or the way to it. */
export interface Failure {
  readonly kind: 'failed';
  readonly cause: GateCause;
  readonly reason: string;
  /**
   * The account of the device that it was about. It counts once, however many devices the account has.
   * Null when the provider did not answer: then it did not look at the token.
   */
  readonly witness: number | null;
  /** How many accounts must meet with it before it is believed of the provider. */
  readonly quorum: number;
  /** How long everybody is to wait, in milliseconds. */
  readonly pauseMs: number;
  /** How long the push itself is to wait at least, in milliseconds. */
  readonly asksMs: number;
}

/** What an outcome tells of the provider. */
export type Signal =
  | Failure
  /** The provider was there and gave an answer about this push. */
  | { readonly kind: 'answered'; readonly userId: number }
  /** It was never asked. */
  | { readonly kind: 'unsent' };

/** No provider knows more than this about its own recovery. */
const LONGEST_ASKED_MS = 3_600_000;
/** What is asked for one device does not hold up all the others for longer than this. */
const LONGEST_FOR_ONE_DEVICE_MS = 60_000;
const QUORUM = { device: 10, provider: 3 } as const;

const unsent: Signal = { kind: 'unsent' };

/** Reads an outcome as the gate of its provider does; `userId` is the account of the device. */
export function signalOf(outcome: Outcome, userId: number): Signal {
  const answered: Signal = { kind: 'answered', userId };
  switch (outcome.kind) {
    case 'delivered':
    case 'dead_token':
      return answered;
    case 'message_fault':
      return outcome.wasSent ? answered : unsent;
    case 'config_fault':
      return {
        kind: 'failed',
        cause: 'misconfigured',
        reason: outcome.reason,
        witness: userId,
        quorum: QUORUM.provider,
        pauseMs: 0,
        asksMs: 0,
      };
    case 'retry':
      return failureOf(outcome, userId);
  }
}

function failureOf(outcome: Extract<Outcome, { kind: 'retry' }>, userId: number): Failure {
  const { class: retryClass, scope, reason, firstDelayMs, retryAfterMs } = outcome;
  const asked = Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS);
  // Who says when to come back is there, and has too much to do.
  const isThrottle =
    retryClass === 'throttled' || (retryClass === 'trouble' && retryAfterMs !== null);
  const forAll = isThrottle && retryAfterMs === null && scope === 'provider' ? firstDelayMs : asked;
  return {
    kind: 'failed',
    cause: isThrottle ? 'throttled' : 'outage',
    reason,
    witness: retryClass === 'connection' ? null : userId,
    quorum: QUORUM[scope],
    pauseMs: scope === 'device' ? Math.min(forAll, LONGEST_FOR_ONE_DEVICE_MS) : forAll,
    asksMs: Math.max(asked, firstDelayMs),
  };
}
