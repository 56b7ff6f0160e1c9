import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { PresenceCounters } from '../presence-counters.js';
import { type ActivityStorage, UsageStatistics } from './usage-statistics.js';
import type { UserDaySpan } from './user-activity.repository.js';

const AT = 1_795_252_079;

/** A storage that is away when told so, and has old rows to be forgotten. */
class ScriptedStorage implements ActivityStorage {
  readonly written: (readonly UserDaySpan[])[] = [];
  readonly forgotten: string[] = [];
  isAway = false;
  oldRows = 0;

  async unite(spans: readonly UserDaySpan[]): Promise<void> {
    if (this.isAway) throw new Error('Away');
    this.written.push(spans);
  }

  async forgetBefore(day: string, most: number): Promise<number> {
    if (this.isAway) throw new Error('Away');
    this.forgotten.push(day);
    const count = Math.min(most, this.oldRows);
    this.oldRows -= count;
    return count;
  }
}

function surroundings() {
  const storage = new ScriptedStorage();
  const counters = new PresenceCounters();
  const sut = new UsageStatistics(storage, 60_000, () => AT * 1000, counters);
  return { storage, counters, sut };
}

describe(UsageStatistics.name, () => {
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(new ConsoleLogger()));

  it('writes the inputs of a period in one statement, however many people they are of', async () => {
    const { storage, sut } = surroundings();
    for (let userId = 1; userId <= 3000; userId += 1) {
      for (const later of [0, 60, 120]) sut.note(userId, AT + later);
    }
    await sut.flush();
    expect(storage.written).toHaveLength(1);
    expect(storage.written[0]).toHaveLength(3000);
    expect(storage.written[0]?.[0]).toEqual({
      userId: 1,
      day: '2026-11-21',
      startedAt: AT,
      endedAt: AT + 120 + 900,
    });
  });

  it('writes nothing where nobody did anything', async () => {
    const { storage, sut } = surroundings();
    sut.note(1, AT);
    await sut.flush();
    await sut.flush();
    expect(storage.written).toHaveLength(1);
  });

  it('keeps what the storage does not take, and what comes meanwhile', async () => {
    const { storage, counters, sut } = surroundings();
    storage.isAway = true;
    sut.note(1, AT);
    await sut.flush();
    expect(counters.usageFailures).toBe(1);
    sut.note(1, AT + 600);
    sut.note(1, AT + 3600);
    storage.isAway = false;
    await sut.flush();
    expect(storage.written).toEqual([
      [
        { userId: 1, day: '2026-11-21', startedAt: AT, endedAt: AT + 1500 },
        { userId: 1, day: '2026-11-21', startedAt: AT + 3600, endedAt: AT + 4500 },
      ],
    ]);
  });

  it('writes what is due when it stops', async () => {
    const { storage, sut } = surroundings();
    sut.start();
    sut.note(1, AT);
    await sut.stop();
    expect(storage.written).toHaveLength(1);
  });

  it('forgets in batches until nothing old is left', async () => {
    const { storage, sut } = surroundings();
    storage.oldRows = 12_000;
    await sut.forgetOld();
    expect(storage.oldRows).toBe(0);
    expect(storage.forgotten).toEqual(['2025-10-17', '2025-10-17', '2025-10-17']);
  });

  it('lets nothing fail when old usage cannot be removed', async () => {
    const { storage, sut } = surroundings();
    storage.isAway = true;
    await expect(sut.forgetOld()).resolves.toBeUndefined();
  });
});
