import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryState, Platform } from '#platform/contracts';
import { CLOCK, type Clock } from '#platform/core';
import { type Outcome, outcomeOf, TokenPruneGuard } from '#push/breakers';
import type { DeliveryKey, NotificationContent } from '#push/notifications';
import { PUSH_OBSERVER, type PushObserver } from '#push/observability';
import type { OutgoingPush } from '#push/providers';
import type { Claim, DueDelivery } from './delivery-claim.repository.js';
import { DeliveryRecordRepository } from './delivery-record.repository.js';
import type { SendResult } from './delivery-sender.js';
import { afterBreakerPause, plainRecord, recordOf, retryDelayMs } from './delivery.rules.js';
import { RelayedAnswers } from './relayed-answers.js';

/** The state of a delivery after an attempt. */
export type Progress =
  | {
      readonly state: Exclude<DeliveryState, 'pending'>;
      /** The next delivery to the same device, which waited behind this one. */
      readonly next: DeliveryKey | null;
    }
  | {
      readonly state: 'pending';
      /** UNIX milliseconds. */
      readonly retryAt: number;
      /** How long it has waited, if it waits behind an earlier delivery to the same device. */
      readonly behindForMs: number | null;
    };

/** A delivery that ends, as observers see it. */
interface Ending extends DeliveryKey {
  readonly platform: Platform;
  readonly appId: string | null;
  readonly content: NotificationContent;
  readonly acceptedAt: number;
}

const INTERNAL_ERROR = {
  kind: 'retry',
  class: 'trouble',
  scope: 'device',
  reason: 'internal error',
  firstDelayMs: 1000,
  retryAfterMs: null,
} as const satisfies Outcome;

/**
 * Interprets the result of an attempt: updates the circuit breaker and the prune alarm, records the
 * new state of the delivery, and notifies the observer. Rejects only when PostgreSQL is down.
 */
@Injectable()
export class OutcomeHandler {
  constructor(
    private readonly records: DeliveryRecordRepository,
    private readonly pruneGuard: TokenPruneGuard,
    private readonly relayedAnswers: RelayedAnswers,
    @Inject(PUSH_OBSERVER) private readonly observer: PushObserver,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** A claim that leads to no attempt. */
  async handleClaim(key: DeliveryKey, claim: Exclude<Claim, DueDelivery>): Promise<Progress> {
    switch (claim.kind) {
      case 'ended':
        return { state: claim.state, next: null };
      case 'not_yet':
        return { state: 'pending', retryAt: claim.until, behindForMs: claim.behindForMs };
      default:
        return this.#end({ ...key, ...claim, appId: null }, claim.kind);
    }
  }

  /** The result of an attempt. */
  handle(due: DueDelivery, result: SendResult): Promise<Progress> {
    switch (result.kind) {
      case 'answered':
        return this.#answered(due, result);
      case 'rejected':
        return this.#hold(due, result.until, result.reason);
      case 'revoked':
        result.permit.breaker.release(result.permit);
        return this.#end(due, 'revoked');
      case 'withdrawn':
        return this.#end(due, 'withdrawn');
      case 'late':
        return Promise.resolve({ state: 'pending', retryAt: this.clock(), behindForMs: null });
      case 'failed':
        return this.#conclude(due, INTERNAL_ERROR, null);
    }
  }

  async #answered(
    due: DueDelivery,
    { permit, push, answer }: Extract<SendResult, { kind: 'answered' }>,
  ): Promise<Progress> {
    const source = push.relayedFor === undefined ? due.platform : 'push service';
    const outcome = outcomeOf(source, answer);
    const until = permit.breaker.record(outcome, permit);
    if (push.relayedFor !== undefined) {
      await this.relayedAnswers.store(due, push.relayedFor, answer);
    }
    if (outcome.kind === 'config_fault' || until !== null) {
      const reason = 'reason' in outcome ? outcome.reason : null;
      return this.#hold(due, until ?? this.clock(), reason);
    }
    return this.#conclude(due, outcome, push);
  }

  /** It waits for the circuit breaker; the attempt does not count. */
  async #hold(due: DueDelivery, until: number, reason: string | null): Promise<Progress> {
    this.observer.held(due.platform, 1);
    const retryAt = afterBreakerPause(until, Math.random());
    await this.records.record({ ...plainRecord(due, 'pending'), reason, dueAt: new Date(retryAt) });
    return { state: 'pending', retryAt, behindForMs: null };
  }

  /** It ends without an attempt. */
  async #end(ending: Ending, state: 'expired' | 'revoked' | 'withdrawn'): Promise<Progress> {
    const next = await this.records.record(plainRecord(ending, state));
    this.observer.ended(observedOf(ending), state);
    return { state, next };
  }

  async #conclude(
    due: DueDelivery,
    outcome: Exclude<Outcome, { kind: 'config_fault' }>,
    push: OutgoingPush | null,
  ): Promise<Progress> {
    const isPruneAllowed = this.#allowsPrune(due, outcome);
    const nextAt = this.#nextAt(due, outcome);
    const record = recordOf({ due, outcome, nextAt, isPruneAllowed, push });
    const next = await this.records.record(record);
    if (record.state === 'pending') {
      this.observer.retried(observedOf(due), record.reason ?? '');
      return { state: 'pending', retryAt: nextAt, behindForMs: null };
    }
    this.observer.ended(observedOf(due), record.state);
    return { state: record.state, next };
  }

  /** Whether a dead token may be removed; answers about living ones count for that as well. */
  #allowsPrune(due: DueDelivery, outcome: Outcome): boolean {
    if (outcome.kind === 'dead_token') return this.pruneGuard.allowPrune(due, outcome);
    if (outcome.kind === 'delivered') this.pruneGuard.recordAlive(due);
    return false;
  }

  #nextAt({ attempts }: DueDelivery, outcome: Outcome): number {
    const delayMs =
      outcome.kind === 'retry' ? retryDelayMs(attempts + 1, outcome, Math.random()) : 0;
    return this.clock() + delayMs;
  }
}

const observedOf = ({ platform, appId, content, acceptedAt }: Ending) => ({
  platform,
  appId,
  kind: content.kind,
  acceptedAt,
});
