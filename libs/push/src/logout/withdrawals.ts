import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Messages } from '#queue';
import { heardTopic, withdrawal, WITHDRAWALS } from './withdrawal.js';

/** Longer than a push can lie between being read and being sent; afterwards PostgreSQL says it. */
const KEPT_MS = 300_000;
const MOST_KEPT = 100_000;

/** What this worker has been told not to send any more: the last word before a push goes on the wire. */
@Injectable()
export class Withdrawals implements OnModuleInit {
  readonly #generations = new LRUCache<number, number>({ max: MOST_KEPT, ttl: KEPT_MS });

  constructor(private readonly messages: Messages) {}

  onModuleInit(): void {
    this.messages.follow(WITHDRAWALS, (message) => {
      const { outboxId, userId, keyGeneration } = withdrawal.parse(message);
      this.#generations.set(userId, keyGeneration);
      this.messages.tell(heardTopic(outboxId), {}).catch(() => undefined);
    });
  }

  /** Whether the account has a newer key than the one that registered a device. */
  covers(userId: number, keyGeneration: number): boolean {
    return keyGeneration < (this.#generations.get(userId) ?? 0);
  }
}
