import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '#platform/database';
import { Metrics } from '#platform/telemetry';
import type { PushObserver } from '#push/observability';
import type { ClientTokens, WebPushRepository } from '#push/devices';
import { DeliveryRecordRepository } from './delivery-record.repository.js';
import { plainRecord } from './delivery.rules.js';

const record = plainRecord({ notificationId: 'n', deviceId: 1, mayBeShown: true }, 'delivered');

/** Rejects so many statements first. */
const databaseThatFails = (times: number) => {
  let calls = 0;
  return {
    query: async () => {
      calls += 1;
      if (calls <= times) throw new Error('PostgreSQL is down');
      return [];
    },
  } as unknown as Database; // Only this method is used.
};

describe(DeliveryRecordRepository.name, () => {
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
    new DeliveryRecordRepository(
      databaseThatFails(failures),
      {} as ClientTokens,
      {} as WebPushRepository,
      {} as PushObserver,
      metrics,
    );

  it('retries, counts each failure, and logs one line for many', async () => {
    const done = sutWith(3).record(record);
    await jest.advanceTimersByTimeAsync(3000);
    await expect(done).resolves.toBeNull();
    expect(await metrics.read()).toContain('carillon_push_unrecorded_total 3');
    expect(warning).toHaveBeenCalledTimes(1);
    expect(warning).toHaveBeenCalledWith(expect.stringContaining('PostgreSQL is down'));
  });

  it('gives up when PostgreSQL stays down', async () => {
    const done = sutWith(Infinity).record(record);
    done.catch(() => undefined);
    await jest.advanceTimersByTimeAsync(8000);
    await expect(done).rejects.toThrow('PostgreSQL is down');
  });
});
