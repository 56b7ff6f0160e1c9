import { Injectable, Logger, Optional } from '@nestjs/common';
import { type Clock, counted, errorText, isOutage, Sampler, systemClock } from '#platform/core';
import type { OutgoingPush, PushTransport } from '#push/providers';
import { type PushSubject, RevokedPushes } from '#push/revocations';
import type { DueDelivery } from './delivery-claim.repository.js';
import { type DeliveryContent, DeliveryContents } from './delivery-contents.js';
import { LEASE_SLACK_MS } from './delivery-lease.js';
import { deliveryId } from './delivery.rules.js';
import { type AttemptResult, KEPT_BY_PROVIDERS_MS, ProviderAttempts } from './provider-attempts.js';

/** The result of sending a delivery. */
export type SendResult =
  | AttemptResult
  /** There is nothing left to show: the message was read or deleted. */
  | { readonly kind: 'withdrawn' }
  /** The push service has yet to forget a phone of the account. */
  | { readonly kind: 'awaits_removal' }
  /** The content was read so late that the lease may end before the provider answers. */
  | { readonly kind: 'lease_too_old' }
  /** An internal error or an outage of a store: no push could be made. */
  | { readonly kind: 'failed' };

/** Makes the push of a delivery and sends it. */
@Injectable()
export class DeliverySender {
  readonly #logger = new Logger(DeliverySender.name);
  readonly #outages = new Sampler();

  constructor(
    private readonly contents: DeliveryContents,
    private readonly attempts: ProviderAttempts,
    private readonly revoked: RevokedPushes,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Makes one attempt. Never rejects for a fault of the delivery, since that would fail its whole job. */
  async send(transport: PushTransport, due: DueDelivery): Promise<SendResult> {
    const account = `account ${due.userId}` as const;
    const subjects = [account, `device ${due.deviceId}`] as const;
    let push: OutgoingPush;
    try {
      const contents = await this.contents.read(due);
      if (contents === null) return { kind: 'withdrawn' };
      if (contents === 'awaits_removal') return { kind: 'awaits_removal' };
      // Another worker may claim the delivery after the lease, and both would send.
      if (performance.now() - due.claimStartedAt > LEASE_SLACK_MS) return { kind: 'lease_too_old' };
      push = this.#pushOf(due, contents, subjects);
    } catch (error) {
      this.#logFailure(due, error);
      return { kind: 'failed' };
    }
    return this.attempts.send(transport, {
      push,
      platform: due.platform,
      notificationId: due.notificationId,
      number: due.attempts + 1,
      traceParent: due.traceParent,
      quorumKey: account,
      // Services of Web Push are told apart as their breakers are.
      appId: due.subscription === null ? due.appId : (transport.credentialOf?.(push) ?? null),
      serverId: null,
      ownerId: due.userId,
      subjects,
    });
  }

  /** Logs each defect, and an outage, which affects every delivery, once a minute. */
  #logFailure({ notificationId, deviceId }: DueDelivery, error: unknown): void {
    if (!isOutage(error)) {
      this.#logger.error(`Delivery ${notificationId}/${deviceId}: ${errorText(error)}`);
      return;
    }
    const count = this.#outages.take();
    if (count === null) return;
    const attempts = counted(count, 'attempt');
    this.#logger.warn(
      `A store failed for ${attempts} to send since the last entry: ${errorText(error)}`,
    );
  }

  #pushOf(
    due: DueDelivery,
    contents: DeliveryContent,
    subjects: readonly PushSubject[],
  ): OutgoingPush {
    const { claimStartedAt, keyGeneration, content } = due;
    return {
      notificationId: due.notificationId,
      replaces: content.kind === 'message' ? content.replaces : undefined,
      deliveryId: deliveryId(due.notificationId, due.deviceId),
      token: due.token,
      appId: due.appId,
      environment: due.environment,
      fcmTarget: due.fcmTarget,
      expiresAt: due.subscription?.expiresAt ?? this.clock() + KEPT_BY_PROVIDERS_MS,
      ...contents,
      isWithdrawn: () => this.revoked.isRevoked({ subjects, claimStartedAt, keyGeneration }),
    };
  }
}
