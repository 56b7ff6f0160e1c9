import { describe, expect, it } from '@jest/globals';
import { type CollectedProcess, CollectionAtRest, thisProcess } from './collection-at-rest.js';

const MIB = 1024 * 1024;

class FakeProcess implements CollectedProcess {
  bytes = 100 * MIB;
  load = 0;
  collections = 0;
  /** What a collection leaves. */
  inUse = 110 * MIB;

  reservedBytes(): number {
    return this.bytes;
  }

  utilization(): number {
    return this.load;
  }

  collect(): Promise<void> {
    this.collections += 1;
    this.bytes = this.inUse;
    return Promise.resolve();
  }
}

describe(CollectionAtRest.name, () => {
  it('collects once when the program rests after it has grown', async () => {
    const fake = new FakeProcess();
    const sut = new CollectionAtRest(fake);
    fake.bytes = 300 * MIB;
    await sut.collectAtRest();
    expect(fake.collections).toBe(0);
    for (let looks = 0; looks < 3; looks += 1) await sut.collectAtRest();
    expect([fake.collections, fake.bytes]).toEqual([1, 110 * MIB]);
  });

  it('does not hold up a program at work', async () => {
    const fake = new FakeProcess();
    const sut = new CollectionAtRest(fake);
    fake.bytes = 300 * MIB;
    for (const load of [0.5, 0.05, 0.5, 0.05, 0.5]) {
      fake.load = load;
      await sut.collectAtRest();
    }
    expect(fake.collections).toBe(0);
  });

  it('does not repeat a collection that leaves as much, until memory was returned', async () => {
    const fake = new FakeProcess();
    const sut = new CollectionAtRest(fake);
    fake.inUse = 290 * MIB;
    for (const bytes of [300, 300, 310, 310]) {
      fake.bytes = bytes * MIB;
      await sut.collectAtRest();
    }
    expect(fake.collections).toBe(1);
    for (const bytes of [150, 300]) {
      fake.bytes = bytes * MIB;
      await sut.collectAtRest();
    }
    expect(fake.collections).toBe(2);
  });

  it('collects the garbage of this process', async () => {
    let garbage: object[] | null = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
    expect(garbage).toHaveLength(1_000_000);
    garbage = null;
    const before = process.memoryUsage().heapUsed;
    await thisProcess().collect();
    expect(process.memoryUsage().heapUsed).toBeLessThan(before - 20 * MIB);
  });
});
