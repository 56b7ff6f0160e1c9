import { Inject, Injectable, Optional } from '@nestjs/common';
import type { DeliveryState, Platform } from '#push/jobs';
import { type Clock, systemClock } from '#platform/core';
import type { Outcome } from '#push/providers';
import {
  AWAITS_REMOVAL,
  type DeliveryKey,
  MAX_BLOCKING_ATTEMPTS,
  type NotificationContent,
} from '#push/notifications';
import { PUSH_OBSERVER, type PushObserver } from '#push/observability';
import { ANSWER_LISTENER, type AnswerListener } from './answer-listener.js';
import type { Claim, DueDelivery } from './delivery-claim.repository.js';
import { type DeliveryRecord, DeliveryRecordRepository } from './delivery-record.repository.js';
import { DeliveryReturnRepository } from './delivery-return.repository.js';
import type { DeliveryProgress } from './ledger.js';
import type { PagePlace } from './pages/open-page.js';
import type { SendResult } from './delivery-sender.js';
import {
  afterBreakerPause,
  type Conclusion,
  deliveryId,
  plainRecord,
  recordOf,
  removalDelayMs,
  retryDelayMs,
} from './delivery.rules.js';
import type { EndedDelivery } from './feedback/feedback.rules.js';
import { PushFeedback } from './feedback/push-feedback.js';
import type { AttemptResult } from './provider-attempts.js';

type Progress = DeliveryProgress<DeliveryKey>;

/** A delivery that ends, as observers see it. */
interface Ending extends DeliveryKey {
  readonly platform: Platform;
  readonly appId: string | null;
  readonly mayBeShown: boolean;
  readonly content: NotificationContent;
  readonly acceptedAt: number;
  /** Left out for a delivery that is not claimed. */
  readonly attempts?: number;
  readonly inPage?: PagePlace | undefined;
}

/** The reason of a delivery that this release cannot read. */
const OF_LATER_RELEASE = 'written by a later release';

const INTERNAL_ERROR = {
  kind: 'retry',
  class: 'temporary',
  scope: 'device',
  reason: 'internal error',
  firstDelayMs: 1000,
  retryAfterMs: null,
} as const satisfies Outcome;

/**
 * Records the new state of a delivery after an attempt, and notifies the observer. Rejects only when PostgreSQL is
 * down.
 */
@Injectable()
export class OutcomeHandler {
  constructor(
    private readonly records: DeliveryRecordRepository,
    private readonly returns: DeliveryReturnRepository,
    @Inject(ANSWER_LISTENER) private readonly listener: AnswerListener,
    @Inject(PUSH_OBSERVER) private readonly observer: PushObserver,
    private readonly feedback: PushFeedback,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** A claim that leads to no attempt. */
  async handleClaim(key: DeliveryKey, claim: Exclude<Claim, DueDelivery>): Promise<Progress> {
    switch (claim.kind) {
      case 'ended':
        return { state: claim.state, next: null };
      case 'not_yet':
        await claim.release?.();
        return { state: 'pending', retryAt: claim.until, behindForMs: claim.behindForMs };
      case 'unreadable':
        return this.#unreadable(key, claim);
      default:
        return this.#end({ ...key, ...claim, appId: null }, claim.kind);
    }
  }

  /** The result of an attempt. */
  handle(due: DueDelivery, result: SendResult): Promise<Progress> {
    switch (result.kind) {
      case 'concluded':
      case 'delayed':
        return this.#attempted(due, result);
      case 'revoked':
      case 'withdrawn':
        return this.#end(due, result.kind);
      case 'awaits_removal':
        return this.#delay(
          due,
          this.clock() + removalDelayMs(due.databaseNow - due.acceptedAt),
          AWAITS_REMOVAL,
        );
      case 'lease_too_old':
        return this.#giveBack(due);
      case 'failed':
        return this.#conclude(due, this.#internalError(due));
    }
  }

  /** As attempts until others wait for it no longer: later ones to the phone must not wait until it expires. */
  async #unreadable(
    key: DeliveryKey,
    { state, attempts, mayBeShown, until }: Extract<Claim, { kind: 'unreadable' }>,
  ): Promise<Progress> {
    const record = plainRecord({ ...key, mayBeShown }, state);
    if (state !== 'pending') return { state, next: await this.records.record(record) };
    const next = await this.records.record({
      ...record,
      isAttempt: attempts < MAX_BLOCKING_ATTEMPTS,
      reason: OF_LATER_RELEASE,
      dueAt: new Date(until),
    });
    return { state, retryAt: until, behindForMs: null, next };
  }

  /** The delivery was not sent, and is due at once. A page that was closed meanwhile has left the row of a place its lease. */
  async #giveBack(due: DueDelivery): Promise<Progress> {
    const { inPage } = due;
    await inPage?.page.release(inPage.place, 0);
    await this.returns.giveBack(due);
    return { state: 'pending', retryAt: this.clock(), behindForMs: null };
  }

  async #attempted(
    due: DueDelivery,
    result: Extract<AttemptResult, { kind: 'concluded' | 'delayed' }>,
  ): Promise<Progress> {
    if (result.answer !== null) await this.listener.answered(due, result.answer);
    return result.kind === 'concluded'
      ? this.#conclude(due, result)
      : this.#delayForBreaker(due, result);
  }

  /** The delivery waits for the circuit breaker. */
  async #delayForBreaker(
    due: DueDelivery,
    { until, reason, mayBeShown }: Extract<AttemptResult, { kind: 'delayed' }>,
  ): Promise<Progress> {
    this.observer.delayedByBreaker(due.platform, 1);
    return this.#delay({ ...due, mayBeShown: due.mayBeShown || mayBeShown }, until, reason);
  }

  /** The delivery waits until `until`, in UNIX milliseconds. The attempt does not count. */
  async #delay(due: DueDelivery, until: number, reason: string | null): Promise<Progress> {
    const retryAt = afterBreakerPause(until, Math.random());
    await this.records.record({ ...plainRecord(due, 'pending'), reason, dueAt: new Date(retryAt) });
    return { state: 'pending', retryAt, behindForMs: null };
  }

  /** Ends the delivery without an attempt. */
  async #end(ending: Ending, state: 'expired' | 'revoked' | 'withdrawn'): Promise<Progress> {
    const record = { ...plainRecord(ending, state), state };
    if (this.feedback.mayReport(state)) await this.feedback.ended(endedOf(ending, record));
    const next = await this.records.record(record);
    this.observer.ended(observedOf(ending), state);
    return { state, next };
  }

  async #conclude(due: DueDelivery, conclusion: Conclusion): Promise<Progress> {
    const record = recordOf(due, conclusion);
    if (hasEnded(record) && this.feedback.mayReport(record.state))
      await this.feedback.ended(endedOf(due, record));
    const next = await this.records.record(record);
    if (!hasEnded(record)) {
      this.observer.retried(observedOf(due), record.reason ?? '');
      return { state: 'pending', retryAt: conclusion.nextAt, behindForMs: null, next };
    }
    this.observer.ended(observedOf(due), record.state);
    return { state: record.state, next };
  }

  #internalError({ attempts }: DueDelivery): Conclusion {
    const delayMs = retryDelayMs(attempts + 1, INTERNAL_ERROR, Math.random());
    return {
      outcome: INTERNAL_ERROR,
      isPruneAllowed: false,
      nextAt: this.clock() + delayMs,
      push: null,
    };
  }
}

type EndRecord = DeliveryRecord & { readonly state: Exclude<DeliveryState, 'pending'> };

const hasEnded = (record: DeliveryRecord): record is EndRecord => record.state !== 'pending';

const endedOf = (
  { notificationId, deviceId, platform, appId, content, attempts = 0 }: Ending,
  { state, reason, isAttempt }: EndRecord,
): EndedDelivery => ({
  id: deliveryId(notificationId, deviceId),
  notificationId,
  deviceId,
  platform,
  kind: content.kind,
  appId,
  state,
  // Apple's name of a delivered push is no reason for receivers.
  reason: state === 'delivered' ? null : reason,
  attempts: isAttempt ? attempts + 1 : attempts,
});

const observedOf = ({ platform, appId, content, acceptedAt }: Ending) => ({
  platform,
  appId,
  kind: content.kind,
  acceptedAt,
});
