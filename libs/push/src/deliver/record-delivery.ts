import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { PUSH_OBSERVER, type PushObserver } from '../observe/push-observer.js';
import { type DeliveryRecord, DeliveryRecordRepository } from './delivery-record.repository.js';
import type { DeliveryKey } from './delivery.repository.js';

/** Pauses between attempts to write an outcome down, in milliseconds. */
const PAUSES_MS = [100, 400, 1500, 5000];

/** Writes down what became of a delivery, as stubbornly as a short outage of the database asks for. */
@Injectable()
export class RecordDelivery {
  constructor(
    private readonly deliveries: DeliveryRecordRepository,
    @Inject(PUSH_OBSERVER) private readonly observer: PushObserver,
  ) {}

  /**
   * Resolves with what has been waiting for the same device, where it has ended. Rejects when the ledger
   * stays away; the delivery is then tried a second time.
   */
  async execute(record: DeliveryRecord): Promise<DeliveryKey | null> {
    for (const pauseMs of PAUSES_MS) {
      try {
        return await this.#record(record);
      } catch {
        await sleep(pauseMs);
      }
    }
    return this.#record(record);
  }

  async #record(record: DeliveryRecord): Promise<DeliveryKey | null> {
    const { pruned, next } = await this.deliveries.record(record);
    for (const { platform, devices } of pruned) this.observer.pruned(platform, devices);
    return next;
  }
}
