import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Platform } from '#contracts';
import { type DeliveryRecord, DeliveryRecordRepository } from './delivery-record.repository.js';

/** Pauses between attempts to write an outcome down, in milliseconds. */
const PAUSES_MS = [100, 400, 1500, 5000];

/** Writes down what became of a delivery, as stubbornly as a short outage of the database asks for. */
@Injectable()
export class RecordDelivery {
  constructor(private readonly deliveries: DeliveryRecordRepository) {}

  /**
   * Resolves with the devices that were removed, by platform. Rejects when the ledger stays away; the
   * delivery is then tried a second time.
   */
  async execute(
    record: DeliveryRecord,
  ): Promise<readonly { readonly platform: Platform; readonly devices: number }[]> {
    for (const pauseMs of PAUSES_MS) {
      try {
        return await this.deliveries.record(record);
      } catch {
        await sleep(pauseMs);
      }
    }
    return this.deliveries.record(record);
  }
}
