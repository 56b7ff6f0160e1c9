import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Metrics } from '#telemetry';
import type { PushObserver } from '../observe/push-observer.js';
import type { DeliveryRecord, DeliveryRecordRepository } from './delivery-record.repository.js';
import { plainRecord } from './delivery-record.rules.js';
import { RecordDelivery } from './record-delivery.js';

const record = plainRecord({ notificationId: 'n', deviceId: 1 }, 'delivered');

/** Fails so many times first. */
const ledgerThatFails = (times: number) => {
  let calls = 0;
  return {
    record: async (_record: DeliveryRecord) => {
      calls += 1;
      if (calls <= times) throw new Error('The ledger is away');
      return { pruned: [], next: null };
    },
  } as unknown as DeliveryRecordRepository; // Only this method is used.
};

describe(RecordDelivery.name, () => {
  let metrics: Metrics;
  let warning: ReturnType<typeof jest.spyOn>;

  beforeEach(() => {
    jest.useFakeTimers();
    metrics = new Metrics();
    warning = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  });
  afterEach(() => {
    jest.useRealTimers();
    warning.mockRestore();
  });

  const sutWith = (failures: number) =>
    new RecordDelivery(ledgerThatFails(failures), {} as PushObserver, metrics);

  it('tries again, counts each failure, and logs one line for many', async () => {
    const sut = sutWith(3);
    const done = sut.execute(record);
    await jest.advanceTimersByTimeAsync(2000);
    await expect(done).resolves.toBeNull();
    expect(await metrics.read()).toContain('carillon_push_unrecorded_total 3');
    expect(warning).toHaveBeenCalledTimes(1);
    expect(warning).toHaveBeenCalledWith(expect.stringContaining('The ledger is away'));
  });

  it('gives up when the ledger stays away', async () => {
    const done = sutWith(Infinity).execute(record);
    done.catch(() => undefined);
    await jest.advanceTimersByTimeAsync(7000);
    await expect(done).rejects.toThrow('The ledger is away');
  });
});
