import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryState, Platform } from '#contracts';
import { CLOCK, type Clock, realmUrl } from '#core';
import type { OutgoingPush } from '../transport/push-transport.js';
import { retryDelayMs } from './back-off.rules.js';
import { deliveryId } from './delivery-id.rules.js';
import {
  type Claim,
  type DeadToken,
  type DeliveryKey,
  type DeliveryRecord,
  DeliveryRepository,
  type DueDelivery,
} from './delivery.repository.js';
import { Withdrawals } from '../logout/withdrawals.js';
import { Lanes } from './lanes.js';
import { type Outcome, outcomeOf } from './outcome-policy.rules.js';
import { RecordDelivery } from './record-delivery.js';

/** DI token: the server's address, from which those of its organisations are made. */
export const PUSH_EXTERNAL_URL = Symbol('PushExternalUrl');

/** Against a provider that never has a better answer; a notification mostly expires before. */
const MOST_ATTEMPTS = 200;
/** When to look again at what another job of this process is sending at the moment. */
const UNDER_WAY_MS = 1000;
/** What waits for a gate does not all come back in the same moment. */
const SPREAD_MS = 2000;

/** How a delivery stands after a try; a pending one is to be tried again at `comesBackAt`. */
export interface Progress {
  readonly state: DeliveryState;
  /** UNIX milliseconds. */
  readonly comesBackAt?: number;
}

type Attempt =
  | { readonly kind: 'held'; readonly until: number }
  | { readonly kind: 'not_due'; readonly claim: Exclude<Claim, DueDelivery> }
  | { readonly kind: 'made'; readonly due: DueDelivery; readonly outcome: Outcome };

/**
 * One try to deliver one notification to one device.
 *
 * What is sent is read when the lane has room for it, and what has been withdrawn since by the time
 * that the connection is there is not sent: no device of a replaced key is sent to.
 */
@Injectable()
export class DeliverToDevice {
  readonly #underWay = new Set<string>();

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly recordDelivery: RecordDelivery,
    private readonly lanes: Lanes,
    private readonly withdrawals: Withdrawals,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PUSH_EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  /** Rejects only when the ledger cannot be read or written. */
  async execute(platform: Platform, key: DeliveryKey): Promise<Progress> {
    const name = `${key.notificationId}/${key.deviceId}`;
    // A job that Redis lost and the sweeper added again, while the first is still at it.
    if (this.#underWay.has(name)) {
      return { state: 'pending', comesBackAt: this.clock() + UNDER_WAY_MS };
    }
    this.#underWay.add(name);
    try {
      return await this.#deliver(platform, key);
    } finally {
      this.#underWay.delete(name);
    }
  }

  async #deliver(platform: Platform, key: DeliveryKey): Promise<Progress> {
    const lane = this.lanes.of(platform);
    const attempt = await lane.run(() => this.#attempt(platform, key));
    switch (attempt.kind) {
      case 'held':
        return { state: 'pending', comesBackAt: attempt.until };
      case 'not_due':
        return this.#end(key, attempt.claim);
      case 'made':
        return this.#settle(platform, attempt.due, attempt.outcome);
    }
  }

  async #attempt(platform: Platform, key: DeliveryKey): Promise<Attempt> {
    const { gate, transport } = this.lanes.of(platform);
    if (this.lanes.isClosing) return { kind: 'held', until: this.clock() };
    const until = gate.admit();
    if (until !== null) return { kind: 'held', until: until + Math.random() * SPREAD_MS };
    const claim = await this.deliveries.claim(key);
    if (claim.kind !== 'due') return { kind: 'not_due', claim };
    const sending = transport.send(this.#pushOf(claim));
    const answer = await this.withdrawals.track(claim.userId, sending);
    if (answer.kind === 'withdrawn') return { kind: 'not_due', claim: { kind: 'revoked' } };
    return { kind: 'made', due: claim, outcome: outcomeOf(platform, answer) };
  }

  async #end(key: DeliveryKey, claim: Exclude<Claim, DueDelivery>): Promise<Progress> {
    if (claim.kind === 'ended') return { state: claim.state };
    const state = claim.kind;
    await this.recordDelivery.execute({
      ...key,
      state,
      isAttempt: false,
      reason: null,
      dead: null,
    });
    return { state };
  }

  async #settle(platform: Platform, due: DueDelivery, outcome: Outcome): Promise<Progress> {
    const { gate } = this.lanes.of(platform);
    if (outcome.kind === 'config_fault') {
      return { state: 'pending', comesBackAt: gate.shut(outcome.reason) };
    }
    // Silence says nothing about the configuration.
    if (outcome.kind !== 'retry') gate.open();
    const record = recordOf(due, outcome);
    await this.recordDelivery.execute(record);
    if (record.state !== 'pending' || outcome.kind !== 'retry') return { state: record.state };
    const delayMs = retryDelayMs(due.attempts + 1, outcome, Math.random());
    return { state: 'pending', comesBackAt: this.clock() + delayMs };
  }

  #pushOf(due: DueDelivery): OutgoingPush {
    return {
      notificationId: due.notificationId,
      deliveryId: deliveryId(due.notificationId, due.deviceId),
      token: due.token,
      appId: due.appId,
      expiresAt: due.expiresAt,
      recipient: {
        userId: due.userId,
        realmId: due.realm.id,
        realmName: due.realm.name,
        realmUrl: realmUrl(this.externalUrl, due.realm.subdomain),
        server: this.externalUrl.host,
      },
      content: due.content,
      isWithdrawn: () => this.withdrawals.covers(due.userId, due.keyGeneration),
    };
  }
}

function recordOf(
  due: DueDelivery,
  outcome: Exclude<Outcome, { kind: 'config_fault' }>,
): DeliveryRecord {
  const { notificationId, deviceId } = due;
  const record = { notificationId, deviceId, isAttempt: true, reason: null, dead: null };
  switch (outcome.kind) {
    case 'delivered':
      return { ...record, state: 'delivered' };
    case 'dead_token':
      return {
        ...record,
        state: 'dead_token',
        reason: outcome.reason,
        dead: deadTokenOf(due, outcome),
      };
    case 'message_fault':
      return { ...record, state: 'rejected', reason: outcome.reason };
    case 'retry':
      return {
        ...record,
        state: due.attempts + 1 < MOST_ATTEMPTS ? 'pending' : 'rejected',
        reason: outcome.reason,
      };
  }
}

function deadTokenOf(
  due: DueDelivery,
  outcome: Extract<Outcome, { kind: 'dead_token' }>,
): DeadToken {
  const { platform, token, appId, readAt } = due;
  return {
    platform,
    token,
    appId: outcome.ofApp ? appId : null,
    since: outcome.deadSince === null ? readAt : new Date(outcome.deadSince),
  };
}
