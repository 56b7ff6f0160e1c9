import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock, errorText } from '#platform/core';
import { CircuitBreakers, outcomeOf, TokenPruneGuard } from '#push/breakers';
import { InFlightPushes } from '#push/observability';
import { NO_RECIPIENT, type OutgoingPush, type PushTransport } from '#push/providers';
import { type RemoteClaim, RemoteContentSealer, type RemoteRecord } from '#push/remotes';
import { type PushSubject, RevokedPushes } from '#push/revocations';
import { afterBreakerPause, deliveryId, retryDelayMs } from '../delivery.rules.js';
import { guardedDevice, recordOfRemote, unchanged } from './remote-delivery.rules.js';

/** For how long providers keep a push for a phone that is switched off. */
const KEPT_BY_PROVIDERS_MS = 86_400_000;
/** Then a worker with the right secret may have started. */
const UNREADABLE_PAUSE_MS = 60_000;

/** Sends a notification of a server, if the circuit breaker of its credential allows. */
@Injectable()
export class RemoteSender {
  readonly #logger = new Logger(RemoteSender.name);

  constructor(
    private readonly sealer: RemoteContentSealer,
    private readonly breakers: CircuitBreakers,
    private readonly pruneGuard: TokenPruneGuard,
    private readonly inFlight: InFlightPushes,
    private readonly revoked: RevokedPushes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Makes one attempt; resolves with its record. Never rejects. */
  async send(transport: PushTransport, claim: RemoteClaim): Promise<RemoteRecord> {
    const push = this.#pushOf(claim);
    if (push === null) return this.#held(claim, this.clock() + UNREADABLE_PAUSE_MS, 'unreadable');
    const { platform } = claim;
    const breaker = this.breakers.of({
      platform,
      credential: transport.credentialOf?.(push) ?? platform,
      topic: transport.foreignTopicOf?.(push) ?? null,
    });
    // A server counts as one account: the faults of one do not stop the others.
    const permit = { userId: -claim.serverId, acquiredAt: this.clock() };
    const closedUntil = breaker.acquire();
    if (closedUntil !== null) return this.#held(claim, closedUntil, breaker.status.reason);
    const { notificationId } = push;
    const attempt = { notificationId, platform, attempt: claim.attempts + 1, traceParent: null };
    const sending = this.inFlight.track(attempt, () => transport.send(push));
    const answer = await this.revoked.track(subjectsOf(claim), sending);
    if (answer.kind === 'withdrawn') {
      breaker.release(permit);
      return this.#held(claim, this.clock(), null);
    }
    const outcome = outcomeOf(platform, answer);
    const until = breaker.record(outcome, permit);
    if (outcome.kind === 'config_fault' || until !== null) {
      const reason = 'reason' in outcome ? outcome.reason : null;
      return this.#held(claim, until ?? this.clock(), reason);
    }
    if (outcome.kind === 'delivered') this.pruneGuard.recordAlive(guardedDevice(claim));
    const isPruneAllowed =
      outcome.kind === 'dead_token' && this.pruneGuard.allowPrune(guardedDevice(claim), outcome);
    const delayMs =
      outcome.kind === 'retry' ? retryDelayMs(claim.attempts + 1, outcome, Math.random()) : 0;
    return recordOfRemote(claim, outcome, { isPruneAllowed, nextAt: this.clock() + delayMs });
  }

  /** It waits, and the attempt does not count. */
  #held(claim: RemoteClaim, until: number, reason: string | null): RemoteRecord {
    const dueAt = new Date(afterBreakerPause(until, Math.random()));
    return { ...unchanged(claim), reason, dueAt };
  }

  /** Null if the content was sealed with another secret. */
  #pushOf(claim: RemoteClaim): OutgoingPush | null {
    const { id, sealed, token, appId, environment, claimedAt } = claim;
    const notificationId = deliveryId('remote', id);
    try {
      return {
        notificationId,
        deliveryId: notificationId,
        token,
        appId,
        environment,
        expiresAt: this.clock() + KEPT_BY_PROVIDERS_MS,
        recipient: NO_RECIPIENT,
        content: this.sealer.open(sealed ?? Buffer.alloc(0)),
        isWithdrawn: () => this.revoked.isRevoked({ subjects: subjectsOf(claim), claimedAt }),
      };
    } catch (error) {
      this.#logger.error(`Delivery ${id} of a remote server: ${errorText(error)}`);
      return null;
    }
  }
}

const subjectsOf = ({ serverId, realmId }: RemoteClaim): PushSubject[] =>
  realmId === null ? [`server ${serverId}`] : [`server ${serverId}`, `realm ${realmId}`];
