import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type DeliveryRecord, DeliveryRepository } from './delivery.repository.js';

/** Pauses between attempts to write an outcome down, in milliseconds. */
const PAUSES_MS = [100, 400, 1500, 5000];

/** Writes down what became of a delivery, as stubbornly as a short outage of the database asks for. */
@Injectable()
export class RecordDelivery {
  constructor(private readonly deliveries: DeliveryRepository) {}

  /** Rejects when the ledger stays away; the delivery is then tried a second time. */
  async execute(record: DeliveryRecord): Promise<void> {
    for (const pauseMs of PAUSES_MS) {
      try {
        await this.deliveries.record(record);
        return;
      } catch {
        await sleep(pauseMs);
      }
    }
    await this.deliveries.record(record);
  }
}
