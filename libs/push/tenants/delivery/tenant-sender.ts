import { Injectable, Logger, Optional } from '@nestjs/common';
import { type Clock, errorText, systemClock } from '#platform/core';
import { NO_RECIPIENT, type OutgoingPush, type PushTransport } from '#push/providers';
import { TenantContentSealer } from '../notify/tenant-content-sealer.js';
import { MAX_BLOCKING_ATTEMPTS } from '#push/notifications';
import { type PushSubject, RevokedPushes } from '#push/revocations';
import {
  afterBreakerPause,
  deliveryId,
  KEPT_BY_PROVIDERS_MS,
  ProviderAttempts,
} from '#push/delivery';
import { type TenantClaim, type TenantRecord, UNREADABLE } from './tenant-delivery.repository.js';
import { recordOfTenant, unchanged } from './tenant-delivery.rules.js';

/** Then a worker with the right secret may have started. */
const UNREADABLE_PAUSE_MS = 60_000;

/** Makes the push of a server's notification and sends it. */
@Injectable()
export class TenantSender {
  readonly #logger = new Logger(TenantSender.name);

  constructor(
    private readonly sealer: TenantContentSealer,
    private readonly attempts: ProviderAttempts,
    private readonly revoked: RevokedPushes,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Makes one attempt; resolves with its record. Never rejects. */
  async send(transport: PushTransport, claim: TenantClaim): Promise<TenantRecord> {
    const server = `server ${claim.serverId}` as const;
    const subjects: readonly PushSubject[] =
      claim.realmId === null ? [server] : [server, `realm ${claim.realmId}`];
    const push = this.#pushOf(claim, subjects);
    if (push === null) {
      // As an attempt until others wait for it no longer: further ones would use up those at the provider.
      const delayed = this.#delayed(claim, this.clock() + UNREADABLE_PAUSE_MS, UNREADABLE);
      return { ...delayed, isAttempt: claim.attempts < MAX_BLOCKING_ATTEMPTS };
    }
    const result = await this.attempts.send(transport, {
      push,
      platform: claim.platform,
      notificationId: push.notificationId,
      number: claim.attempts + 1,
      traceParent: null,
      // The faults of one server do not stop the others. Anybody can register many from one address.
      quorumKey: claim.registeredFrom === null ? server : `network ${claim.registeredFrom}`,
      appId: claim.appId,
      serverId: claim.serverId,
      ownerId: claim.deviceId,
      subjects,
    });
    switch (result.kind) {
      case 'concluded':
        return recordOfTenant(claim, result);
      case 'delayed':
        return this.#delayed(claim, result.until, result.reason);
      case 'revoked':
        // The next claim finds whether the stop concerns it.
        return this.#delayed(claim, this.clock(), null);
    }
  }

  /** The delivery waits, and the attempt does not count. */
  #delayed(claim: TenantClaim, until: number, reason: string | null): TenantRecord {
    const dueAt = new Date(afterBreakerPause(until, Math.random()));
    return { ...unchanged(claim), reason, dueAt };
  }

  /** Null if the content was sealed with another secret. */
  #pushOf(claim: TenantClaim, subjects: readonly PushSubject[]): OutgoingPush | null {
    const { id, sealed, token, appId, environment, fcmTarget, claimStartedAt } = claim;
    const notificationId = deliveryId('remote', id);
    try {
      return {
        notificationId,
        deliveryId: notificationId,
        token,
        appId,
        environment,
        fcmTarget,
        expiresAt: this.clock() + KEPT_BY_PROVIDERS_MS,
        recipient: NO_RECIPIENT,
        content: this.sealer.open(sealed ?? Buffer.alloc(0)),
        isWithdrawn: () => this.revoked.isRevoked({ subjects, claimStartedAt }),
      };
    } catch (error) {
      this.#logger.error(`Delivery ${id} of a remote server: ${errorText(error)}`);
      return null;
    }
  }
}
