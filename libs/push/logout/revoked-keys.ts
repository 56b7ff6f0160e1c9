import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { WorkInFlight } from '#platform/core';
import { PubSub, type Topic } from '#platform/queue';

/** The previous release writes no version. */
const version = z.literal(1).default(1);

const keyRevocation = z.object({
  v: version,
  outboxId: z.string(),
  userId: z.int(),
  /** Devices of older keys receive nothing any more. */
  keyGeneration: z.int(),
});

/** An account has a new API key. */
export type KeyRevocation = z.infer<typeof keyRevocation>;

/** All workers subscribe to it. The previous release subscribes by the same names. */
export const keyRevocations: Topic<KeyRevocation> = {
  name: 'withdrawals',
  source: 'withdrawals',
  schema: keyRevocation,
};

const ack = z.object({ v: version });

/** A worker has acknowledged a revocation or a deactivation. */
export type RevocationAck = z.infer<typeof ack>;

/** The topic on which workers acknowledge a revocation. */
export const revocationAcks = (outboxId: string): Topic<RevocationAck> => ({
  name: `withdrawal-heard-${outboxId}`,
  source: 'withdrawal-heard',
  schema: ack,
});

const deactivation = z.object({ v: z.literal(1), id: z.uuid(), userIds: z.array(z.int()) });

/** Accounts were deactivated. All workers subscribe to it. */
export const deactivations: Topic<z.infer<typeof deactivation>> = {
  name: 'account-deactivations',
  source: 'account-deactivations',
  schema: deactivation,
};

/** The topic on which workers acknowledge a deactivation. */
export const deactivationAcks = (id: string): Topic<RevocationAck> => ({
  name: `account-deactivation-acks-${id}`,
  source: 'account-deactivation-acks',
  schema: ack,
});

/** A delivery with an account and a key, as a claim has read it. */
export interface ClaimedKey {
  readonly userId: number;
  /** Of the key that registered the device. */
  readonly keyGeneration: number;
  /** When the claim began, by the monotonic clock of this process. */
  readonly claimedAt: number;
}

/** Longer than the time between a claim and its push; a later claim reads the new state from PostgreSQL. */
const KEPT_MS = 300_000;
const MAX_KEPT = 100_000;

/** The API keys that were replaced and the accounts that were deactivated in the last minutes. A sender checks them right before it writes a push to the connection. */
@Injectable()
export class RevokedKeys implements OnModuleInit {
  readonly #generations = new LRUCache<number, number>({ max: MAX_KEPT, ttl: KEPT_MS });
  /** When this process learned of the deactivation of an account, by its monotonic clock. */
  readonly #deactivatedAt = new LRUCache<number, number>({ max: MAX_KEPT, ttl: KEPT_MS });
  readonly #inFlight = new WorkInFlight<number>();

  constructor(private readonly pubSub: PubSub) {}

  onModuleInit(): void {
    this.pubSub.onMessage(keyRevocations, (message) => this.#revoke(message));
    this.pubSub.onMessage(deactivations, (message) => this.#deactivate(message));
  }

  /**
   * Whether the account has a newer key than the one that registered the device, or was deactivated after the claim. A
   * reactivated account receives notifications again immediately: later claims find it active.
   */
  isRevoked({ userId, keyGeneration, claimedAt }: ClaimedKey): boolean {
    return (
      keyGeneration < (this.#generations.get(userId) ?? 0) ||
      claimedAt < (this.#deactivatedAt.get(userId) ?? 0)
    );
  }

  /** A revocation of the account's key waits for this push, and so does its deactivation. */
  track<Result>(userId: number, push: Promise<Result>): Promise<Result> {
    return this.#inFlight.track(userId, push);
  }

  /** Starts no more pushes for the old keys, and acknowledges when every push in flight is answered. */
  async #revoke({ outboxId, userId, keyGeneration }: KeyRevocation): Promise<void> {
    // Two revocations in a row may arrive in the other order.
    const known = this.#generations.get(userId) ?? 0;
    this.#generations.set(userId, Math.max(known, keyGeneration));
    await this.#inFlight.settled([userId]);
    await this.pubSub.publish(revocationAcks(outboxId), { v: 1 }).catch(() => undefined);
  }

  async #deactivate({ id, userIds }: z.infer<typeof deactivation>): Promise<void> {
    for (const userId of userIds) this.#deactivatedAt.set(userId, performance.now());
    await this.#inFlight.settled(userIds);
    await this.pubSub.publish(deactivationAcks(id), { v: 1 }).catch(() => undefined);
  }
}
