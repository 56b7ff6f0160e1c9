import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { PUSH_OBSERVER, type PushObserver } from '../observe/push-observer.js';
import {
  type DeliveryRecord,
  DeliveryRecordRepository,
  type PrunedDevices,
} from './delivery-record.repository.js';

/** Pauses between attempts to write an outcome down, in milliseconds. */
const PAUSES_MS = [100, 400, 1500, 5000];

/** Writes down what became of a delivery, as stubbornly as a short outage of the database asks for. */
@Injectable()
export class RecordDelivery {
  constructor(
    private readonly deliveries: DeliveryRecordRepository,
    @Inject(PUSH_OBSERVER) private readonly observer: PushObserver,
  ) {}

  /** Rejects when the ledger stays away; the delivery is then tried a second time. */
  async execute(record: DeliveryRecord): Promise<void> {
    for (const pauseMs of PAUSES_MS) {
      try {
        this.#tell(await this.deliveries.record(record));
        return;
      } catch {
        await sleep(pauseMs);
      }
    }
    this.#tell(await this.deliveries.record(record));
  }

  #tell(removed: readonly PrunedDevices[]): void {
    for (const { platform, devices } of removed) this.observer.pruned(platform, devices);
  }
}
