import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { atMost, WorkInFlight } from '#platform/core';
import { QUEUE_OPTIONS, type QueueOptions } from '#platform/queue';
import { PubSub } from '#platform/redis';
import {
  deactivatedAccounts,
  type PushSubject,
  removedDevices,
  replacedKeys,
  type RevocationKind,
  type RevokedSubject,
  stoppedServers,
} from './revocation-topics.js';

/** The push of a delivery, as a claim has read it. */
interface ClaimedPush {
  readonly subjects: readonly PushSubject[];
  /** When the claim began, by the monotonic clock of this process. */
  readonly claimStartedAt: number;
  /** Of the key that registered the device; left out for the devices of other servers. */
  readonly keyGeneration?: number;
}

/** The last revocations of a subject. */
interface Revoked {
  /** Pushes that were claimed before are revoked. By the monotonic clock of this process. */
  readonly at: number;
  /** Pushes to devices of older keys are revoked. */
  readonly keyGeneration: number;
}

/** Longer than the time between a claim and its push; a later claim reads the change from PostgreSQL. */
const KEPT_MS = 300_000;
const MAX_KEPT = 300_000;

/** The pushes that were revoked in the last minutes. A sender checks them right before it writes a push to the connection. */
@Injectable()
export class RevokedPushes implements OnModuleInit {
  readonly #revoked = new LRUCache<PushSubject, Revoked>({ ...atMost(MAX_KEPT), ttl: KEPT_MS });
  readonly #inFlight = new WorkInFlight<PushSubject>();

  constructor(
    private readonly pubSub: PubSub,
    @Inject(QUEUE_OPTIONS) private readonly options: QueueOptions,
  ) {}

  onModuleInit(): void {
    this.#subscribe(replacedKeys);
    this.#subscribe(deactivatedAccounts);
    this.#subscribe(removedDevices);
    this.#subscribe(stoppedServers);
  }

  /**
   * Whether one of its subjects was revoked after the claim, or the key that registered the device was replaced. A
   * reactivated account or a started server sends again immediately: later claims find its new state.
   */
  isRevoked({ subjects, claimStartedAt, keyGeneration = Infinity }: ClaimedPush): boolean {
    return subjects.some((subject) => {
      const revoked = this.#revoked.get(subject);
      if (revoked === undefined) return false;
      return claimStartedAt < revoked.at || keyGeneration < revoked.keyGeneration;
    });
  }

  /** A revocation of one of the subjects waits for this push. */
  track<Result>(subjects: readonly PushSubject[], push: Promise<Result>): Promise<Result> {
    return this.#inFlight.track(push, subjects);
  }

  #subscribe<Message>({ topicOf, acksOf, revokedBy }: RevocationKind<Message>): void {
    const { prefix } = this.options;
    this.pubSub.onMessage(topicOf(prefix), async (message) => {
      await this.#revoke(revokedBy(message));
      this.pubSub.publish(acksOf(prefix, message), { v: 1 });
    });
  }

  /** Starts no more of these pushes, and resolves when those in flight are answered. */
  async #revoke(revoked: readonly RevokedSubject[]): Promise<void> {
    for (const { subject, keyGeneration } of revoked) {
      const known = this.#revoked.get(subject) ?? { at: 0, keyGeneration: 0 };
      this.#revoked.set(
        subject,
        keyGeneration === undefined
          ? { ...known, at: performance.now() }
          : // Two revocations in a row may arrive in the other order.
            { ...known, keyGeneration: Math.max(known.keyGeneration, keyGeneration) },
      );
    }
    await this.#inFlight.settled(revoked.map(({ subject }) => subject));
  }
}
