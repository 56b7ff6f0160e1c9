import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RedisCommands } from '#platform/redis';
import { ProcessMarks } from './process-marks.js';

describe(ProcessMarks.name, () => {
  let stored: Map<string, string>;
  let isAway: boolean;
  let isFull: boolean;
  let sut: ProcessMarks;

  beforeEach(() => {
    stored = new Map();
    isAway = false;
    isFull = false;
    const set = async (key: string, value: string) => {
      if (isAway) throw new Error('Command timed out');
      if (isFull) throw new Error("OOM command not allowed when used memory > 'maxmemory'.");
      const found = stored.get(key) ?? null;
      stored.set(key, value);
      return found;
    };
    // The overloads of set() have other options.
    sut = new ProcessMarks({ set: set as unknown as RedisCommands['set'] });
  });

  it('finds its last mark, and misses none at the first call', async () => {
    for (let look = 0; look < 3; look += 1) expect(await sut.replace(5)).toBe(true);
    expect([...stored.keys()]).toEqual([expect.stringMatching(/^presence:v2:\{p5\}:mark:/)]);
  });

  it('misses the mark once after a flush', async () => {
    await sut.replace(5);
    stored.clear();
    expect(await sut.replace(5)).toBe(false);
    expect(await sut.replace(5)).toBe(true);
  });

  it('misses the mark when Redis has gone back', async () => {
    await sut.replace(5);
    const before = new Map(stored);
    await sut.replace(5);
    stored = before;
    expect(await sut.replace(5)).toBe(false);
  });

  it('does not know the mark after a failed call', async () => {
    await sut.replace(5);
    isAway = true;
    await expect(sut.replace(5)).rejects.toThrow('timed out');
    isAway = false;
    expect(await sut.replace(5)).toBe(false);
  });

  it('detects the loss of a full server with the next stored mark', async () => {
    await sut.replace(5);
    isFull = true;
    for (let look = 0; look < 2; look += 1) expect(await sut.replace(5)).toBe(true);
    isFull = false;
    expect(await sut.replace(5)).toBe(false);
  });

  it('keeps the shards separate', async () => {
    await sut.replace(5);
    stored.clear();
    expect(await sut.replace(6)).toBe(true);
    expect(await sut.replace(5)).toBe(false);
  });
});
