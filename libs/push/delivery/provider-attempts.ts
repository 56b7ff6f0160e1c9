import { Injectable, Optional } from '@nestjs/common';
import { type Clock, systemClock } from '#platform/core';
import {
  type AnsweredDevice,
  CircuitBreakers,
  type QuorumKey,
  TokenPruneGuard,
} from '#push/breakers';
import {
  mayBeShownAfter,
  type Outcome,
  outcomeOf,
  type OutgoingPush,
  type ProviderAnswer,
  type PushTransport,
  webPushOutcome,
} from '#push/providers';
import { InFlightPushes, type TrackedAttempt } from '#push/observability';
import { type PushSubject, RevokedPushes } from '#push/revocations';
import { RELAY_PLATFORM } from '#push/relay';
import { type Conclusion, retryDelayMs } from './delivery.rules.js';

/**
 * For how long providers keep a push for a phone that is switched off. Google allows 28 days, Apple 30. A removal is kept as
 * long: it arrives after the notifications that it removes.
 */
export const KEPT_BY_PROVIDERS_MS = 28 * 86_400_000;

/** A push, and the accounts and devices that its attempt concerns. */
export interface ProviderAttempt extends TrackedAttempt, AnsweredDevice {
  readonly push: OutgoingPush;
  readonly quorumKey: QuorumKey;
  readonly subjects: readonly PushSubject[];
}

type Answer = Exclude<ProviderAnswer, { kind: 'withdrawn' }>;

/** The result of an attempt. */
export type AttemptResult =
  | (Conclusion & {
      readonly kind: 'concluded';
      readonly push: OutgoingPush;
      readonly answer: Answer;
    })
  /**
   * The delivery waits for the circuit breaker until then, for this reason of the provider or the transport. The answer is
   * null if the push was not sent.
   */
  | {
      readonly kind: 'delayed';
      readonly push: OutgoingPush;
      readonly answer: Answer | null;
      /** Whether a phone may show the push nevertheless. */
      readonly mayBeShown: boolean;
      readonly until: number;
      readonly reason: string | null;
    }
  /** The permission to send ended before the push was on the wire. */
  | { readonly kind: 'revoked' };

/** Sends pushes, if the circuit breakers of their credentials allow, and interprets the answers. */
@Injectable()
export class ProviderAttempts {
  /** Answers that the breaker of the push service has recorded as failures. */
  readonly #failures = new WeakSet<Answer>();

  constructor(
    private readonly breakers: CircuitBreakers,
    private readonly pruneGuard: TokenPruneGuard,
    private readonly inFlight: InFlightPushes,
    private readonly revoked: RevokedPushes,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Makes one attempt. Never rejects, since transports do not. */
  async send(transport: PushTransport, attempt: ProviderAttempt): Promise<AttemptResult> {
    const { push, platform } = attempt;
    const isRelayed = push.relayedFor !== undefined;
    const breaker = this.breakers.of({
      platform: isRelayed ? RELAY_PLATFORM : platform,
      credential: transport.credentialOf?.(push) ?? platform,
      topic: transport.unconfiguredTopicOf?.(push) ?? null,
    });
    const permit = breaker.acquire(attempt.quorumKey);
    if (permit.kind === 'rejected') {
      const { retryAt: until, reason } = permit;
      return { kind: 'delayed', push, answer: null, mayBeShown: false, until, reason };
    }
    const sending = this.inFlight.track(attempt, () => transport.send(push));
    const answer = await this.revoked.track(attempt.subjects, sending);
    if (answer.kind === 'withdrawn') {
      breaker.release(permit);
      return { kind: 'revoked' };
    }
    const outcome = this.#outcomeOf(attempt, answer);
    const isRepeated = isRelayed && isFailedRequest(outcome) && this.#wasRecorded(answer);
    if (isRepeated) breaker.release(permit);
    const until = isRepeated ? breaker.status.reopensAt : breaker.record(outcome, permit);
    const late = answer.kind === 'unanswered' ? await answer.late : undefined;
    // The breaker has counted the missing answer.
    if (late !== undefined && late.kind !== 'unanswered' && late.kind !== 'withdrawn')
      return this.#resultOf(attempt, late, this.#outcomeOf(attempt, late), until);
    return this.#resultOf(attempt, answer, outcome, until);
  }

  #outcomeOf({ push, platform }: ProviderAttempt, answer: Answer): Outcome {
    if (platform === 'web') return webPushOutcome(answer, push, this.clock());
    return outcomeOf(push.relayedFor === undefined ? platform : 'push service', answer);
  }

  /** `until` is when the breaker allows the push again, in UNIX milliseconds; null if it has no objection. */
  #resultOf(
    attempt: ProviderAttempt,
    answer: Answer,
    outcome: Outcome,
    until: number | null,
  ): AttemptResult {
    const { push } = attempt;
    const isOver = outcome.kind !== 'config_fault' && outcome.kind !== 'retry';
    if (
      outcome.kind === 'config_fault' ||
      (until !== null && !isOver && !isVisible(attempt, outcome))
    ) {
      const { reason } = outcome;
      const mayBeShown = mayBeShownAfter(outcome);
      return { kind: 'delayed', push, answer, mayBeShown, until: until ?? this.clock(), reason };
    }
    const isPruneAllowed = this.#isPruneAllowed(attempt, outcome);
    const delayMs =
      outcome.kind === 'retry' ? retryDelayMs(attempt.number, outcome, Math.random()) : 0;
    const nextAt = Math.max(this.clock() + delayMs, until ?? 0);
    return { kind: 'concluded', push, answer, outcome, isPruneAllowed, nextAt };
  }

  /**
   * Whether this answer was recorded before; records it. The pushes of a request share it: otherwise one lost request would
   * stop the notifications of all accounts.
   */
  #wasRecorded(failure: Answer): boolean {
    const wasRecorded = this.#failures.has(failure);
    this.#failures.add(failure);
    return wasRecorded;
  }

  /** Answers about living tokens count for the alarm as well. */
  #isPruneAllowed(device: AnsweredDevice, outcome: Outcome): boolean {
    if (outcome.kind === 'dead_token') return this.pruneGuard.allowPrune(device, outcome);
    if (outcome.kind === 'delivered') this.pruneGuard.recordAlive(device);
    return false;
  }
}

/**
 * Whether a repetition is shown again if this push was delivered. The attempt counts also when the breaker is open, so that the
 * delay grows.
 */
const isVisible = ({ platform, push }: ProviderAttempt, outcome: Outcome): boolean =>
  platform === 'fcm' &&
  push.relayedFor === undefined &&
  outcome.kind === 'retry' &&
  (outcome.class === 'unanswered' || outcome.class === 'temporary');

/** Whether a request to the push service failed, and the service asks for no pause. */
const isFailedRequest = (outcome: Outcome): boolean =>
  outcome.kind === 'retry' && outcome.class !== 'throttled' && outcome.retryAfterMs === null;
