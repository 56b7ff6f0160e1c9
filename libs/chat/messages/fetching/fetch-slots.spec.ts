import { describe, expect, it } from '@jest/globals';
import { FetchSlots, type Pace } from './fetch-slots.js';

const POOL_SIZE = 6;

/** Readings that run until they are ended. */
class Readings {
  readonly running: string[] = [];
  readonly #ends = new Map<string, () => void>();

  constructor(private readonly sut: FetchSlots) {}

  start(userId: number, name: string, pace: Pace = 'usual'): Promise<unknown> {
    return this.sut.run(userId, pace, async () => {
      this.running.push(name);
      await new Promise<void>((end) => this.#ends.set(name, end));
    });
  }

  async end(name: string): Promise<void> {
    this.running.splice(this.running.indexOf(name), 1);
    this.#ends.get(name)?.();
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe(FetchSlots.name, () => {
  it('runs a few readings of an account at once, and as many of all as half of the connections', async () => {
    const readings = new Readings(new FetchSlots({ poolSize: POOL_SIZE }));
    const all = [
      readings.start(1, 'a'),
      readings.start(1, 'b'),
      readings.start(1, 'c'),
      readings.start(2, 'd'),
      readings.start(3, 'e'),
    ];
    await settled();
    expect(readings.running).toEqual(['a', 'b', 'd']);
    await readings.end('d');
    expect(readings.running).toEqual(['a', 'b', 'e']);
    await readings.end('a');
    expect(readings.running).toEqual(['b', 'e', 'c']);
    for (const name of ['b', 'e', 'c']) await readings.end(name);
    await Promise.all(all);
  });

  it('refuses a reading of an account of which many wait', async () => {
    const readings = new Readings(new FetchSlots({ poolSize: POOL_SIZE }));
    for (let number = 0; number < 52; number += 1) void readings.start(1, String(number));
    await expect(readings.start(1, 'more')).rejects.toMatchObject({
      error: { code: 'SERVICE_UNAVAILABLE' },
    });
    void readings.start(2, 'other');
    await settled();
    expect(readings.running).toEqual(['0', '1', 'other']);
  });

  it('runs few slow readings at once, one of an account, and others meanwhile', async () => {
    const readings = new Readings(new FetchSlots({ poolSize: 10 }));
    const all = [
      readings.start(1, 'a', 'slow'),
      readings.start(1, 'b', 'slow'),
      readings.start(2, 'c', 'slow'),
      readings.start(3, 'd', 'slow'),
      readings.start(1, 'e'),
      readings.start(4, 'f'),
      readings.start(4, 'g'),
    ];
    await settled();
    expect(readings.running.toSorted()).toEqual(['a', 'c', 'e', 'f', 'g']);
    await readings.end('c');
    expect(readings.running.toSorted()).toEqual(['a', 'd', 'e', 'f', 'g']);
    await readings.end('a');
    expect(readings.running.toSorted()).toEqual(['b', 'd', 'e', 'f', 'g']);
    for (const name of ['b', 'd', 'e', 'f', 'g']) await readings.end(name);
    await Promise.all(all);
  });

  it.each(['usual', 'slow'] as const)(
    'passes failures on and gives their slots back: %s',
    async (pace) => {
      const sut = new FetchSlots({ poolSize: 1 });
      for (let number = 0; number < 3; number += 1) {
        const failed = sut.run(1, pace, () => Promise.reject(new Error('It failed')));
        await expect(failed).rejects.toThrow('It failed');
      }
      expect(await sut.run(1, pace, () => Promise.resolve('read'))).toBe('read');
    },
  );
});
