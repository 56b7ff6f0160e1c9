import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import { comparableToken, type SandboxPlatform } from '../provider/platform.js';
import { DeliveryTally, type TallySummary } from './delivery-tally.js';
import type { Attempt, Delivery, Outcome } from './delivery.js';
import { EncryptedPhones } from './encrypted-phones.js';
import { type Screen, screensOf } from './screen.rules.js';

/** Older deliveries are removed. At 1 kB each this is about 100 MB. */
const MAX_DELIVERIES = 100_000;

export interface DeliveryFilter {
  readonly platform?: SandboxPlatform | undefined;
  readonly token?: string | undefined;
  /** UNIX seconds: deliveries received at this moment or later. */
  readonly since?: number | undefined;
  /** The newest ones, at most `limit`. */
  readonly limit?: number | undefined;
}

/**
 * Stored as JSON in a buffer: a string with one character beyond Latin-1 takes two bytes per character, and strings in
 * the heap slow down garbage collection.
 */
interface DeliveryJson {
  readonly platform: SandboxPlatform;
  readonly token: string;
  readonly receivedAt: number;
  readonly json: Buffer;
}

/** All attempts and their outcomes, in memory. */
@Injectable()
export class DeliveriesStore {
  /** A ring: a delivery takes the place of the oldest one. With a Map of the same size, garbage collections take longer. */
  #deliveries: DeliveryJson[] = [];
  readonly #tally = new DeliveryTally();
  readonly #recorded = new Subject<Delivery>();
  readonly #forgotten = new Subject<void>();
  /** The place of the next delivery in the ring. */
  #next = 0;
  #lastId = 0;

  constructor(private readonly phones: EncryptedPhones) {}

  /** Emits each delivery when it is recorded. */
  readonly recorded = this.#recorded.asObservable();
  /** Emits when all deliveries are removed. */
  readonly forgotten = this.#forgotten.asObservable();

  record({ identity, ...attempt }: Attempt, outcome: Outcome, now: Date): void {
    this.#lastId += 1;
    const delivery: Delivery = {
      id: this.#lastId,
      ...attempt,
      decrypted: attempt.decrypted ?? this.phones.read(attempt.payload),
      status: outcome.status,
      reason: outcome.reason,
      shown: outcome.shown,
      expired: outcome.expired,
      delay_ms: outcome.delay_ms,
      received_at: now.getTime() / 1000,
    };
    this.#deliveries[this.#next] = {
      platform: delivery.platform,
      token: comparableToken(delivery.platform, delivery.token),
      receivedAt: delivery.received_at,
      json: Buffer.from(JSON.stringify(delivery)),
    };
    this.#next = (this.#next + 1) % MAX_DELIVERIES;
    this.#tally.count({ ...attempt, identity }, outcome);
    this.#recorded.next(delivery);
  }

  /** The matching deliveries as JSON texts, the oldest first. */
  list({ platform, token, since, limit }: DeliveryFilter): string[] {
    const found: Buffer[] = [];
    const newer = this.#deliveries.slice(0, this.#next);
    for (const delivery of this.#deliveries.slice(this.#next).concat(newer)) {
      const isWanted =
        (platform === undefined || delivery.platform === platform) &&
        (token === undefined || delivery.token === comparableToken(delivery.platform, token)) &&
        (since === undefined || delivery.receivedAt >= since);
      if (isWanted) found.push(delivery.json);
    }
    const wanted = limit === undefined ? found : found.slice(-limit);
    return wanted.map((json) => json.toString());
  }

  /** The screens of the phones of the matching deliveries, as far as these are kept. */
  screens(filter: DeliveryFilter): Screen[] {
    // The store has written this JSON.
    return screensOf(this.list(filter).map((json): Delivery => JSON.parse(json)));
  }

  /** Removes the deliveries and their counts; ids continue. */
  forget(): void {
    this.#deliveries = [];
    this.#next = 0;
    this.#tally.clear();
    this.#forgotten.next();
  }

  /** Counts of all deliveries since the last `forget`, also of removed ones. */
  summary(): TallySummary {
    return this.#tally.summary();
  }
}
