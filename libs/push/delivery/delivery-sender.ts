import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock, errorText } from '#platform/core';
import { type CircuitBreaker, CircuitBreakers, type Permit } from '#push/breakers';
import { InFlightPushes } from '#push/observability';
import type { OutgoingPush, ProviderAnswer, PushTransport } from '#push/providers';
import { type PushSubject, RevokedPushes } from '#push/revocations';
import { RELAY_PLATFORM } from '#push/service';
import { type DueDelivery, LEASE_SLACK_MS } from './delivery-claim.repository.js';
import { type DeliveryContent, DeliveryContents } from './delivery-contents.js';
import { deliveryId } from './delivery.rules.js';

/** For how long providers keep a push for a phone that is switched off. */
const KEPT_BY_PROVIDERS_MS = 86_400_000;

/** A permit, and the breaker that it is to be given back to. */
export interface BreakerPermit extends Permit {
  readonly breaker: CircuitBreaker;
}

/** The result of sending a delivery. */
export type SendResult =
  | {
      readonly kind: 'answered';
      readonly permit: BreakerPermit;
      readonly push: OutgoingPush;
      readonly answer: Exclude<ProviderAnswer, { kind: 'withdrawn' }>;
    }
  /** The circuit breaker is open until then, for this reason of the provider or the transport. */
  | { readonly kind: 'rejected'; readonly until: number; readonly reason: string | null }
  /** The API key was replaced, the device removed or the account deactivated before the push was on the wire. */
  | { readonly kind: 'revoked'; readonly permit: BreakerPermit }
  /** There is nothing left to show: the message was read or deleted. */
  | { readonly kind: 'withdrawn' }
  /** The content was read so late that the lease may end before the provider answers. */
  | { readonly kind: 'late' }
  /** An internal error: no push could be made. */
  | { readonly kind: 'failed' };

/** Makes the push of a delivery and sends it, if the circuit breaker of its credential allows. */
@Injectable()
export class DeliverySender {
  readonly #logger = new Logger(DeliverySender.name);

  constructor(
    private readonly contents: DeliveryContents,
    private readonly breakers: CircuitBreakers,
    private readonly revoked: RevokedPushes,
    private readonly inFlight: InFlightPushes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Makes one attempt. Never rejects for a fault of the delivery, since that would fail its whole job. */
  async send(transport: PushTransport, due: DueDelivery): Promise<SendResult> {
    let push: OutgoingPush;
    try {
      const contents = await this.contents.read(due);
      if (contents === null) return { kind: 'withdrawn' };
      // Another worker may claim the delivery after the lease, and both would send.
      if (performance.now() - due.claimedAt > LEASE_SLACK_MS) return { kind: 'late' };
      push = this.#pushOf(due, contents);
    } catch (error) {
      this.#logger.error(`Delivery ${due.notificationId}/${due.deviceId}: ${errorText(error)}`);
      return { kind: 'failed' };
    }
    const breaker = this.breakers.of({
      platform: push.relayedFor === undefined ? due.platform : RELAY_PLATFORM,
      credential: transport.credentialOf?.(push) ?? due.platform,
      topic: transport.foreignTopicOf?.(push) ?? null,
    });
    const permit = { breaker, userId: due.userId, acquiredAt: this.clock() };
    const until = breaker.acquire();
    if (until !== null) return { kind: 'rejected', until, reason: breaker.status.reason };
    const answer = await this.#attempt(transport, due, push);
    return answer.kind === 'withdrawn'
      ? { kind: 'revoked', permit }
      : { kind: 'answered', permit, push, answer };
  }

  #attempt(
    transport: PushTransport,
    due: DueDelivery,
    push: OutgoingPush,
  ): Promise<ProviderAnswer> {
    const attempt = {
      platform: due.platform,
      notificationId: due.notificationId,
      attempt: due.attempts + 1,
      traceParent: due.traceParent,
    };
    const sending = this.inFlight.track(attempt, () => transport.send(push));
    return this.revoked.track(subjectsOf(due), sending);
  }

  #pushOf(due: DueDelivery, contents: DeliveryContent): OutgoingPush {
    const { claimedAt, keyGeneration } = due;
    return {
      notificationId: due.notificationId,
      deliveryId: deliveryId(due.notificationId, due.deviceId),
      token: due.token,
      appId: due.appId,
      environment: due.environment,
      expiresAt: this.clock() + KEPT_BY_PROVIDERS_MS,
      ...contents,
      isWithdrawn: () =>
        this.revoked.isRevoked({ subjects: subjectsOf(due), claimedAt, keyGeneration }),
    };
  }
}

const subjectsOf = ({ userId, deviceId }: DueDelivery): PushSubject[] => [
  `account ${userId}`,
  `device ${deviceId}`,
];
