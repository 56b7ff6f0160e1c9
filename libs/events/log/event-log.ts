import { Injectable, Optional } from '@nestjs/common';
import { z } from 'zod';
import type { Transaction } from '#platform/database';
import { PubSub, type Topic } from '#platform/redis';
import { EventRepository } from './event.repository.js';
import type { DeferredEvents, NewEvent } from './event.js';

/** The topic of the ids of organisations with new events. */
export const newEvents: Topic<number> = {
  name: 'carillon:events:new',
  source: 'new-events',
  schema: z.int(),
};

/** An event, or the reading of events that depend on other changes. */
type Appended = NewEvent | DeferredEvents;

/** The account of an event; every `Caller` is one. */
export interface EventAccount {
  readonly userId: number;
  readonly realm: { readonly id: number };
}

/** Stores events in the transactions of their changes, and wakes the gateways after the commit. */
@Injectable()
export class EventLog {
  readonly #pending = new WeakMap<Transaction, Appended[]>();

  constructor(
    private readonly events: EventRepository,
    /** Programs without Redis wake no gateway: gateways look for new events each second as well. */
    @Optional() private readonly pubSub?: PubSub,
  ) {}

  /**
   * Adds events to a transaction, after those that were added before. They are stored immediately before the commit, in
   * one statement for each organisation unless they are large, because its lock blocks other changes of the organisation until
   * the commit.
   * Deferred events are read immediately before that, under the lock: they must lock no row.
   */
  append(transaction: Transaction, ...events: readonly Appended[]): void {
    if (events.length === 0) return;
    const pending = this.#pending.get(transaction);
    if (pending !== undefined) {
      pending.push(...events);
      return;
    }
    const first = [...events];
    this.#pending.set(transaction, first);
    transaction.beforeCommit(() => this.#store(transaction, first));
    transaction.afterCommit(() => this.#wakeGateways(first));
  }

  /** Adds an event to a transaction that only the queues of one account get. */
  appendOwn(transaction: Transaction, account: EventAccount, type: string, body: object): void {
    const { userId, realm } = account;
    this.append(transaction, { realmId: realm.id, type, body, audience: { userIds: [userId] } });
  }

  /**
   * Waits for the transactions with earlier events of an organisation, and delays those with later ones until the end of
   * this transaction. Afterwards, statements see the changes of all earlier events. Locks of rows come before.
   */
  async lockOrder(transaction: Transaction, realmId: number): Promise<void> {
    await this.events.lockHead(transaction, realmId);
  }

  async #store(transaction: Transaction, appended: readonly Appended[]): Promise<void> {
    // Ascending, so that two transactions with the same organisations lock them in the same order.
    for (const realmId of realmsOf(appended).toSorted((left, right) => left - right)) {
      const own = appended.filter((one) => one.realmId === realmId);
      const events = await this.#read(transaction, realmId, own);
      if (events.length > 0) await this.events.append(transaction, realmId, events);
    }
  }

  /** The events in order. Without deferred ones the statement that stores them is the one that locks. */
  async #read(
    transaction: Transaction,
    realmId: number,
    appended: readonly Appended[],
  ): Promise<NewEvent[]> {
    if (appended.some(isDeferred)) await this.lockOrder(transaction, realmId);
    const events: NewEvent[] = [];
    for (const one of appended) {
      events.push(...(isDeferred(one) ? await one.read(transaction) : [one]));
    }
    return events;
  }

  #wakeGateways(events: readonly Appended[]): void {
    for (const realmId of realmsOf(events)) this.pubSub?.publish(newEvents, realmId);
  }
}

const isDeferred = (one: Appended): one is DeferredEvents => 'read' in one;

const realmsOf = (events: readonly Appended[]): number[] => [
  ...new Set(events.map(({ realmId }) => realmId)),
];
