import { Inject, Injectable, Optional } from '@nestjs/common';
import { SparedFailures } from '#platform/core';
import type { Transaction } from '#platform/database';
import { REDIS, type Redis } from '#platform/redis';
import { EventRepository } from './event.repository.js';
import type { NewEvent } from './event.js';

/** The Redis channel of the ids of organisations with new events. */
export const NEW_EVENTS_CHANNEL = 'carillon:events:new';

/** Stores events in the transactions of their changes, and wakes the gateways after the commit. */
@Injectable()
export class EventLog {
  readonly #failures = new SparedFailures(EventLog.name);
  readonly #pending = new WeakMap<Transaction, NewEvent[]>();

  constructor(
    private readonly events: EventRepository,
    /** Programs without this connection wake no gateway: gateways look for new events each second as well. */
    @Optional() @Inject(REDIS) private readonly redis: Redis | null = null,
  ) {}

  /**
   * Adds events to a transaction, after those that were added before. They are stored immediately before the commit, in
   * one statement for each organisation, because its lock blocks other changes of the organisation until the commit.
   */
  append(transaction: Transaction, ...events: readonly NewEvent[]): void {
    if (events.length === 0) return;
    const pending = this.#pending.get(transaction);
    if (pending !== undefined) {
      pending.push(...events);
      return;
    }
    const first = [...events];
    this.#pending.set(transaction, first);
    transaction.beforeCommit(() => this.#store(transaction, first));
    transaction.afterCommit(() => this.#announce(first));
  }

  /**
   * Waits for the transactions with earlier events of an organisation, and delays those with later ones until the end of
   * this transaction. Afterwards, statements see everything that earlier events tell of. Locks of rows come before.
   */
  async lockOrder(transaction: Transaction, realmId: number): Promise<void> {
    await this.events.lockHead(transaction, realmId);
  }

  async #store(transaction: Transaction, events: readonly NewEvent[]): Promise<void> {
    // Ascending, so that two transactions with the same organisations lock them in the same order.
    for (const realmId of realmsOf(events).toSorted((left, right) => left - right)) {
      const own = events.filter((event) => event.realmId === realmId);
      await this.events.append(transaction, realmId, own);
    }
  }

  #announce(events: readonly NewEvent[]): void {
    for (const realmId of realmsOf(events)) {
      this.redis?.publish(NEW_EVENTS_CHANNEL, String(realmId)).catch((error: unknown) => {
        this.#failures.note(error);
      });
    }
  }
}

const realmsOf = (events: readonly NewEvent[]): number[] => [
  ...new Set(events.map(({ realmId }) => realmId)),
];
