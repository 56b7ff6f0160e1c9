import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { type ReportCalls, DeferredCounter } from './deferred-counter.js';

const rule = { seconds: 60, calls: 100 };
const now = 1_800_000_000_000;

/** The count that several processes share. */
class SharedCount {
  calls = 0;
  reports = 0;
  seconds: number | null = null;

  readonly report: ReportCalls = (_key, calls, seconds) => {
    this.calls += calls;
    this.reports += 1;
    this.seconds ??= seconds;
    const remainingPoints = Math.max(0, rule.calls - this.calls);
    return Promise.resolve({
      consumedPoints: this.calls,
      remainingPoints,
      msBeforeNext: this.seconds * 1000,
    });
  };
}

describe(DeferredCounter.name, () => {
  let shared: SharedCount;
  let sut: DeferredCounter;

  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(now);
    shared = new SharedCount();
    sut = new DeferredCounter(rule, shared.report);
  });

  afterEach(() => void jest.restoreAllMocks());

  const chargeTimes = async (times: number, calls = sut): Promise<number[]> => {
    const counts: number[] = [];
    for (let call = 0; call < times; call += 1) {
      counts.push((await calls.charge('key', 1, now)).consumedPoints);
    }
    return counts;
  };

  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

  it('reports nothing up to a tenth of the limit', async () => {
    expect(await chargeTimes(10)).toEqual(upTo(10));
    expect(shared.reports).toBe(0);
    expect(await sut.charge('key', 0, now)).toMatchObject({
      remainingPoints: 90,
      msBeforeNext: 60_000,
    });
  });

  it('begins a new window after the clock was set back by more than a window', async () => {
    await chargeTimes(60);
    const earlier = now - 3_600_000;
    expect(await sut.charge('key', 1, earlier)).toMatchObject({
      consumedPoints: 1,
      msBeforeNext: 60_000,
    });
  });

  it('counts without a report for as long as no call has to be reported', async () => {
    for (let calls = 0; calls < 10; calls += 1) {
      expect(sut.canDefer('key', now)).toBe(true);
      sut.count('key', 1, now);
    }
    expect(sut.canDefer('key', now)).toBe(false);
    expect(sut.canDefer('other', now)).toBe(true);
    expect((await sut.charge('key', 1, now)).consumedPoints).toBe(11);
    expect(shared.calls).toBe(11);
  });

  it('counts every call, and reports few up to half of the limit', async () => {
    expect(await chargeTimes(50)).toEqual(upTo(50));
    expect(shared.reports).toBe(4);
  });

  it('reports each call beyond half of the limit', async () => {
    await chargeTimes(51);
    shared.reports = 0;
    expect(await chargeTimes(20)).toEqual(upTo(71).slice(51));
    expect(shared).toMatchObject({ reports: 20, calls: 71 });
  });

  it('reports each call to a small limit', async () => {
    const small = new DeferredCounter({ seconds: 60, calls: 9 }, shared.report);
    await chargeTimes(3, small);
    expect(shared.reports).toBe(3);
  });

  it('learns the calls to other processes, and when their window ends', async () => {
    shared.calls = 60;
    shared.seconds = 20;
    expect((await chargeTimes(11)).at(-1)).toBe(71);
    const count = await sut.charge('key', 1, now);
    expect(count).toMatchObject({ consumedPoints: 72, msBeforeNext: 20_000 });
  });

  it('lets the shared window end with its own', async () => {
    await chargeTimes(10);
    await sut.charge('key', 1, now + 30_000);
    expect(shared.seconds).toBe(30);
  });

  it('starts again in the next window, with what it has not reported', async () => {
    await chargeTimes(10);
    expect((await sut.charge('key', 1, now + 60_000)).consumedPoints).toBe(1);
    expect(shared.calls).toBe(0);
  });

  it('counts each key separately, and several calls at once', async () => {
    await sut.charge('key', 8, now);
    expect((await sut.charge('other', 1, now)).consumedPoints).toBe(1);
    expect((await sut.charge('key', 8, now)).consumedPoints).toBe(16);
    expect(shared.calls).toBe(16);
  });

  it('accepts at most a tenth more for each further process, in any order of calls', async () => {
    const processes = fc.integer({ min: 1, max: 4 });
    const orders = fc.array(fc.nat({ max: 3 }), { minLength: 100, maxLength: 400 });
    /** The processes that count in memory as long as they may. */
    const counting = fc.array(fc.nat({ max: 3 })).map((places) => new Set(places));
    const property = fc.asyncProperty(
      processes,
      orders,
      counting,
      async (count, order, inMemory) => {
        const all = new SharedCount();
        const counters = Array.from({ length: count }, () => new DeferredCounter(rule, all.report));
        let accepted = 0;
        for (const at of order) {
          const counter = counters[at % count];
          if (inMemory.has(at) && counter?.canDefer('key', now) === true) {
            counter.count('key', 1, now);
            accepted += 1;
            continue;
          }
          const charged = await counter?.charge('key', 1, now);
          if (charged !== undefined && charged.consumedPoints <= rule.calls) accepted += 1;
        }
        expect(accepted).toBeLessThanOrEqual(rule.calls + (count - 1) * 10);
        // It refuses nobody too early.
        expect(accepted).toBeGreaterThanOrEqual(Math.min(order.length, rule.calls));
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });

  it('lets no call through in excess when processes are asked in turn', async () => {
    const counters = [sut, ...[1, 2].map(() => new DeferredCounter(rule, shared.report))];
    let accepted = 0;
    for (let call = 0; call < 300; call += 1) {
      const charged = await counters[call % 3]?.charge('key', 1, now);
      if (charged !== undefined && charged.consumedPoints <= rule.calls) accepted += 1;
    }
    expect(accepted).toBe(rule.calls);
  });

  it('refuses concurrent calls beyond the limit', async () => {
    const charged = await Promise.all(Array.from({ length: 300 }, () => sut.charge('key', 1, now)));
    const accepted = charged.filter(({ consumedPoints }) => consumedPoints <= rule.calls);
    expect(accepted).toHaveLength(rule.calls);
  });
});
