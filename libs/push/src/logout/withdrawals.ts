import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Messages } from '#queue';
import { heardTopic, type Withdrawal, withdrawals } from './withdrawal.js';

/** Longer than a push can lie between being read and being sent; afterwards PostgreSQL says it. */
const KEPT_MS = 300_000;
const MOST_KEPT = 100_000;

/** What this worker has been told not to send any more: the last word before a push goes on the wire. */
@Injectable()
export class Withdrawals implements OnModuleInit {
  readonly #generations = new LRUCache<number, number>({ max: MOST_KEPT, ttl: KEPT_MS });
  readonly #underWay = new Map<number, Set<Promise<unknown>>>();

  constructor(private readonly messages: Messages) {}

  onModuleInit(): void {
    this.messages.follow(withdrawals, (message) => this.#withdraw(message));
  }

  /** Whether the account has a newer key than the one that registered a device. */
  covers(userId: number, keyGeneration: number): boolean {
    return keyGeneration < (this.#generations.get(userId) ?? 0);
  }

  /** Makes whoever withdraws an account's pushes wait for one that is being sent; it is to be told of its `end`. */
  begin(userId: number, sending: Promise<unknown>): void {
    const pushes = this.#underWay.get(userId);
    if (pushes === undefined) this.#underWay.set(userId, new Set([sending]));
    else pushes.add(sending);
  }

  /** It was answered, or failed. */
  end(userId: number, sending: Promise<unknown>): void {
    const pushes = this.#underWay.get(userId);
    pushes?.delete(sending);
    if (pushes?.size === 0) this.#underWay.delete(userId);
  }

  /** From here on nothing is put on the wire; what was there before has been answered when it says so. */
  async #withdraw({ outboxId, userId, keyGeneration }: Withdrawal): Promise<void> {
    // Two changes of a key in a row may be heard in the other order.
    const known = this.#generations.get(userId) ?? 0;
    this.#generations.set(userId, Math.max(known, keyGeneration));
    await Promise.allSettled(this.#underWay.get(userId) ?? []);
    await this.messages.tell(heardTopic(outboxId), { v: 1 }).catch(() => undefined);
  }
}
