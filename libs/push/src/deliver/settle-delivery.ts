import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryState, Platform } from '#contracts';
import { CLOCK, type Clock } from '#core';
import type { Passed } from '../gate/gate.rules.js';
import { Gates } from '../gate/gates.js';
import type { GateKey, ProviderGate } from '../gate/provider-gate.js';
import { PruneWatch } from '../gate/prune-watch.js';
import { spreadFrom } from '../gate/spread.rules.js';
import type { NotificationContent } from '../notification-content.js';
import { PUSH_OBSERVER, type PushObserver } from '../observe/push-observer.js';
import { retryDelayMs } from './back-off.rules.js';
import { plainRecord, recordOf } from './delivery-record.rules.js';
import type { DeliveryKey, DueDelivery } from './delivery.repository.js';
import type { Outcome } from './outcome-policy.rules.js';
import { RecordDelivery } from './record-delivery.js';

/** How a delivery stands after a try; one that is pending comes back at `until` (UNIX milliseconds). */
export type Progress =
  | {
      readonly state: Exclude<DeliveryState, 'pending'>;
      /** What has been waiting for the same device, and can be sent now. */
      readonly next: DeliveryKey | null;
    }
  | {
      readonly state: 'pending';
      readonly until: number;
      /** How long it has waited, if only an earlier notification for the same device holds it up. */
      readonly behindForMs: number | null;
    };

/** What is told of a delivery when it ends. */
interface Ending extends DeliveryKey {
  readonly platform: Platform;
  readonly appId: string | null;
  readonly content: NotificationContent;
  readonly acceptedAt: number;
}

/** A push that its gate let pass, and that the gate is to be told of. */
export interface Passage extends Passed {
  readonly kind: 'passed';
  readonly gate: ProviderGate;
}

/** The gate is shut, and why: in the provider's or the transport's words. */
export interface Turned {
  readonly kind: 'shut';
  readonly until: number;
  readonly reason: string | null;
}

export type Admission = Passage | Turned;

const UNMADE = {
  kind: 'retry',
  class: 'trouble',
  scope: 'device',
  reason: 'internal error',
  firstDelayMs: 1000,
  retryAfterMs: null,
} as const satisfies Outcome;

/** Draws the conclusions of a try: for the ledger, for the provider's gate, and for whoever watches. */
@Injectable()
export class SettleDelivery {
  constructor(
    private readonly record: RecordDelivery,
    private readonly gates: Gates,
    private readonly pruneWatch: PruneWatch,
    @Inject(PUSH_OBSERVER) private readonly observer: PushObserver,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Asks the gate of the credential whether a push may go to its provider now. */
  admit(due: DueDelivery, key: GateKey): Admission {
    const gate = this.gates.of(key);
    const admittedAt = this.clock();
    const until = gate.admit();
    return until === null
      ? { kind: 'passed', gate, userId: due.userId, admittedAt }
      : { kind: 'shut', until, reason: gate.status.reason };
  }

  /** It was not sent, and is to be once its provider's gate opens. */
  async held(
    due: DueDelivery,
    { until, reason }: { readonly until: number; readonly reason: string | null },
  ): Promise<Progress> {
    this.observer.held(due.platform, 1);
    const at = spreadFrom(until, Math.random());
    await this.record.execute({ ...plainRecord(due, 'pending'), reason, dueAt: new Date(at) });
    return { state: 'pending', until: at, behindForMs: null };
  }

  /** It is not sent at all. */
  async unsent(ending: Ending, state: 'expired' | 'revoked' | 'withdrawn'): Promise<Progress> {
    const next = await this.record.execute(plainRecord(ending, state));
    this.#observeEnd(ending, state);
    return { state, next };
  }

  /** It could not be made into a push; what is wrong is ours, and may be mended meanwhile. */
  unmade(due: DueDelivery): Promise<Progress> {
    return this.#conclude(due, UNMADE, () => null);
  }

  /** It passed the gate and was withdrawn before it was on the wire. */
  async withdrawn(due: DueDelivery, passed: Passage): Promise<Progress> {
    passed.gate.forgo(passed);
    return this.unsent(due, 'revoked');
  }

  /** Its provider was asked; `redactedPayload` makes what an operator is shown of it. */
  sent(
    due: DueDelivery,
    passed: Passage,
    outcome: Outcome,
    redactedPayload: () => unknown,
  ): Promise<Progress> {
    const until = passed.gate.settle(outcome, passed);
    if (outcome.kind === 'config_fault' || until !== null) {
      const reason = 'reason' in outcome ? outcome.reason : null;
      return this.held(due, { until: until ?? this.clock(), reason });
    }
    return this.#conclude(due, outcome, redactedPayload);
  }

  async #conclude(
    due: DueDelivery,
    outcome: Exclude<Outcome, { kind: 'config_fault' }>,
    redactedPayload: () => unknown,
  ): Promise<Progress> {
    const mayPrune = this.#mayPrune(due, outcome);
    const nextAt = this.#nextAt(due, outcome);
    const record = recordOf({ due, outcome, nextAt, mayPrune, redactedPayload });
    const next = await this.record.execute(record);
    if (record.state === 'pending') {
      this.observer.retried(observedOf(due), record.reason ?? '');
      return { state: 'pending', until: nextAt, behindForMs: null };
    }
    this.#observeEnd(due, record.state);
    return { state: record.state, next };
  }

  /** Whether its token may be removed, where it is called dead; every answer counts for that. */
  #mayPrune(due: DueDelivery, outcome: Outcome): boolean {
    if (outcome.kind === 'dead_token') return this.pruneWatch.mayPrune(due, outcome);
    if (outcome.kind === 'delivered') this.pruneWatch.heard(due);
    return false;
  }

  #nextAt({ attempts }: DueDelivery, outcome: Outcome): number {
    const delayMs =
      outcome.kind === 'retry' ? retryDelayMs(attempts + 1, outcome, Math.random()) : 0;
    return this.clock() + delayMs;
  }

  #observeEnd(ending: Ending, state: Exclude<DeliveryState, 'pending'>): void {
    this.observer.ended(observedOf(ending), state);
  }
}

const observedOf = ({ platform, appId, content, acceptedAt }: Ending) => ({
  platform,
  appId,
  kind: content.kind,
  acceptedAt,
});
