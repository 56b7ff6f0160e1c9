import { describe, expect, it } from '@jest/globals';
import { WorkInFlight } from './work-in-flight.js';

/** Work that ends when the test says so. */
function openWork() {
  let end: () => void = () => undefined;
  let fail: () => void = () => undefined;
  const work = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = () => reject(new Error('failed'));
  });
  return { work, end, fail };
}

describe(WorkInFlight.name, () => {
  it('waits for the work of the given keys only', async () => {
    const sut = new WorkInFlight<number>();
    const [first, other] = [openWork(), openWork()];
    const events: string[] = [];
    void sut.track(first.work, [1]);
    void sut.track(other.work, [2]);
    const settled = sut.settled([1, 3]).then(() => events.push('settled'));
    await Promise.resolve();
    expect(events).toEqual([]);
    first.end();
    await settled;
    expect(events).toEqual(['settled']);
  });

  it('waits for the work of all keys, also if some of it fails', async () => {
    const sut = new WorkInFlight<number>();
    const [first, last] = [openWork(), openWork()];
    const events: string[] = [];
    const failing = sut.track(first.work, [1]);
    void sut.track(last.work, [2]);
    const settled = sut.settled().then(() => events.push('settled'));
    first.fail();
    await expect(failing).rejects.toThrow('failed');
    expect(events).toEqual([]);
    last.end();
    await settled;
    expect(events).toEqual(['settled']);
  });

  it('is settled when no work is in flight', async () => {
    await expect(new WorkInFlight<number>().settled()).resolves.toBeUndefined();
  });

  it('counts failed work as settled, and passes the failure on', async () => {
    const sut = new WorkInFlight<number>();
    const { work, fail } = openWork();
    const tracked = sut.track(work, [1]);
    fail();
    await expect(tracked).rejects.toThrow('failed');
    await sut.settled([1]);
  });
});
