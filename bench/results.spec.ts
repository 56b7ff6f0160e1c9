import { describe, expect, it } from '@jest/globals';
import { costOf, type Measured, resultOf, resultOfTime, tableOf } from './results.js';

const measured: Measured = {
  name: 'push.some',
  value: 20,
  unit: 'ms',
  limit: 30,
  target: 1,
  cpu_s_per_1000: { redis: 0.01234 },
};

describe(resultOf.name, () => {
  it('calculates the ratio of a rate to the reference', () => {
    expect(resultOf(measured)).toMatchObject({ ratio: 0.667, cpu_s_per_1000: { redis: 0.0123 } });
  });
});

describe('losses', () => {
  it('are written as they were counted', () => {
    const losses = { losses: { 'lost when killed': 0 }, limit_losses: { 'lost when killed': 7 } };
    expect(resultOf({ ...measured, ...losses })).toMatchObject(losses);
  });
});

describe(resultOfTime.name, () => {
  it('has a ratio above one for a time within the limit', () => {
    expect(resultOfTime(measured).ratio).toBe(1.5);
    expect(resultOfTime({ ...measured, value: 60 }).ratio).toBe(0.5);
  });

  it('keeps one decimal of short times only', () => {
    expect(resultOfTime({ ...measured, value: 20.06, limit: 1000.4 })).toMatchObject({
      value: 20.1,
      limit: 1000,
    });
  });
});

describe(tableOf.name, () => {
  it('shows whether the target was reached', () => {
    const [, met, missed] = tableOf([resultOfTime(measured), resultOf(measured)]);
    expect(met).toMatch(/ met$/);
    expect(missed).toMatch(/ missed$/);
  });

  it('shows no outcome without a target', () => {
    const [, line] = tableOf([resultOf({ ...measured, target: null })]);
    expect(line).toMatch(/ 0\.67$/);
  });
});

describe(costOf.name, () => {
  it('shows round trips only if they were counted', () => {
    expect(costOf(resultOf(measured))).toBe('CPU each: redis 12 us');
  });

  it('shows the CPU of the reference if it is known', () => {
    const both = resultOf({ ...measured, limit_cpu_s_per_1000: { redis: 0.05 } });
    expect(costOf(both)).toBe("CPU each: redis 12 us; the limit's: redis 50 us");
  });

  it('shows the unit of the round trips', () => {
    const counted = {
      redis_round_trips: 1.234,
      sql_round_trips: 3,
      round_trips_per: '100 devices',
    };
    expect(costOf(resultOf({ ...measured, ...counted }))).toBe(
      'CPU each: redis 12 us; round trips per 100 devices: Redis 1.23, SQL 3',
    );
  });
});
