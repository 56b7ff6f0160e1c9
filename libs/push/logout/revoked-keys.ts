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

/** The topic on which workers acknowledge a revocation. */
export const revocationAcks = (outboxId: string): Topic<z.infer<typeof ack>> => ({
  name: `withdrawal-heard-${outboxId}`,
  source: 'withdrawal-heard',
  schema: ack,
});

/** Longer than the time between a claim and its push; a later claim reads the new key from PostgreSQL. */
const KEPT_MS = 300_000;
const MAX_KEPT = 100_000;

/** The API keys that were replaced lately: checked right before a push goes on the wire. */
@Injectable()
export class RevokedKeys implements OnModuleInit {
  readonly #generations = new LRUCache<number, number>({ max: MAX_KEPT, ttl: KEPT_MS });
  readonly #inFlight = new WorkInFlight<number>();

  constructor(private readonly pubSub: PubSub) {}

  onModuleInit(): void {
    this.pubSub.onMessage(keyRevocations, (message) => this.#revoke(message));
  }

  /** Whether the account has a newer key than the one that registered a device. */
  isRevoked(userId: number, keyGeneration: number): boolean {
    return keyGeneration < (this.#generations.get(userId) ?? 0);
  }

  /** A revocation of the account's key waits for this push. */
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
}
