import { Inject, Injectable, Logger } from '@nestjs/common';
import { errorText, Sampler } from '#core';
import { Metrics } from '#telemetry';
import { PUSH_OBSERVER, type PushObserver } from '../observe/push-observer.js';
import { type DeliveryRecord, DeliveryRecordRepository } from './delivery-record.repository.js';
import type { DeliveryKey } from './delivery.repository.js';

/** Pauses between attempts to write an outcome down, in milliseconds. */
const PAUSES_MS = [100, 400, 1500, 5000];

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Writes down what became of a delivery, as stubbornly as a short outage of the database asks for. */
@Injectable()
export class RecordDelivery {
  readonly #logger = new Logger(RecordDelivery.name);
  readonly #sampler = new Sampler();
  readonly #failures;

  constructor(
    private readonly deliveries: DeliveryRecordRepository,
    @Inject(PUSH_OBSERVER) private readonly observer: PushObserver,
    metrics: Metrics,
  ) {
    this.#failures = metrics.counter({
      name: 'carillon_push_unrecorded_total',
      help: 'Attempts to write the outcome of a delivery to the ledger that failed.',
      labels: [],
    });
    this.#failures.add({}, 0);
  }

  /**
   * Resolves with what has been waiting for the same device, where it has ended. Rejects when the ledger
   * stays away; the delivery is then tried a second time.
   */
  async execute(record: DeliveryRecord): Promise<DeliveryKey | null> {
    for (const pauseMs of PAUSES_MS) {
      try {
        return await this.#record(record);
      } catch (error) {
        this.#report(error);
        await sleep(pauseMs);
      }
    }
    return this.#record(record);
  }

  #report(error: unknown): void {
    this.#failures.add({});
    const count = this.#sampler.take();
    if (count === null) return;
    this.#logger.warn(`Outcomes not written, to be tried again: ${count}: ${errorText(error)}`);
  }

  async #record(record: DeliveryRecord): Promise<DeliveryKey | null> {
    const { pruned, next } = await this.deliveries.record(record);
    for (const { platform, devices } of pruned) this.observer.pruned(platform, devices);
    return next;
  }
}
