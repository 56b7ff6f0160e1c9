import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import { comparableToken, type Platform } from '../wire/platform.js';
import { DeliveryTally, type TallySummary } from './delivery-tally.js';
import type { Attempt, Delivery, Outcome } from './delivery.js';

/** How many deliveries are remembered; the oldest go first. At 1 kB each this is about 100 MB. */
const mostDeliveries = 100_000;

export interface DeliveryFilter {
  readonly platform?: Platform | undefined;
  readonly token?: string | undefined;
  /** UNIX seconds: deliveries received at this moment or later. */
  readonly since?: number | undefined;
  /** Only the newest so many. */
  readonly limit?: number | undefined;
}

/**
 * Kept as finished JSON, and that as bytes: a string with one letter beyond Latin-1 takes two bytes for
 * each, and all of it in the heap, where it makes every collection of garbage longer.
 */
interface StoredDelivery {
  readonly platform: Platform;
  readonly token: string;
  readonly receivedAt: number;
  readonly json: Buffer;
}

/** Every attempt to reach a phone and what became of it, in memory. */
@Injectable()
export class DeliveriesStore {
  readonly #deliveries = new Map<number, StoredDelivery>();
  readonly #tally = new DeliveryTally();
  readonly #recorded = new Subject<Delivery>();
  readonly #forgotten = new Subject<void>();
  #lastId = 0;

  /** Each delivery as it is recorded. */
  readonly recorded = this.#recorded.asObservable();
  /** Each time that everything was forgotten. */
  readonly forgotten = this.#forgotten.asObservable();

  record({ identity, ...attempt }: Attempt, outcome: Outcome, now: Date): void {
    this.#lastId += 1;
    const delivery: Delivery = {
      id: this.#lastId,
      ...attempt,
      status: outcome.status,
      reason: outcome.reason,
      received_at: now.getTime() / 1000,
    };
    this.#deliveries.set(delivery.id, {
      platform: delivery.platform,
      token: comparableToken(delivery.platform, delivery.token),
      receivedAt: delivery.received_at,
      json: Buffer.from(JSON.stringify(delivery)),
    });
    // By its id, since ids have no gaps: looking for a map's first entry walks over all that were deleted.
    this.#deliveries.delete(this.#lastId - mostDeliveries);
    this.#tally.count({ ...attempt, identity }, outcome);
    this.#recorded.next(delivery);
  }

  /** The deliveries that pass the filter as JSON texts, oldest first. */
  list({ platform, token, since, limit }: DeliveryFilter): string[] {
    const found: Buffer[] = [];
    for (const delivery of this.#deliveries.values()) {
      const isWanted =
        (platform === undefined || delivery.platform === platform) &&
        (token === undefined || delivery.token === comparableToken(delivery.platform, token)) &&
        (since === undefined || delivery.receivedAt >= since);
      if (isWanted) found.push(delivery.json);
    }
    const wanted = limit === undefined ? found : found.slice(-limit);
    return wanted.map((json) => json.toString());
  }

  /** Forgets the deliveries and their counts; ids go on. */
  forget(): void {
    this.#deliveries.clear();
    this.#tally.clear();
    this.#forgotten.next();
  }

  /** Counts of everything since the last `forget`, also of what is no longer listed. */
  summary(): TallySummary {
    return this.#tally.summary();
  }
}
