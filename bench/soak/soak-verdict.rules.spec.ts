import { describe, expect, it } from '@jest/globals';
import { type SoakSample, verdictOf } from './soak-verdict.rules.js';
import { soakPlanOf } from './soak-plan.rules.js';

const MIB = 1024 * 1024;
const sampleAt = (at: number, changes: Partial<SoakSample> = {}): SoakSample => ({
  at,
  memory: { gateway: 100 * MIB },
  tables: {},
  pending: 0,
  oldestSeconds: 0,
  answered: 10,
  shown: 10,
  events: 10,
  failed: 0,
  p50: 1,
  p99: 2,
  ...changes,
});
const run = (change: (index: number) => Partial<SoakSample>) =>
  Array.from({ length: 9 }, (_, index) => sampleAt(index, change(index)));

describe(verdictOf.name, () => {
  it('accepts memory that grows in the first third only', () => {
    const warm = (index: number) => ({ memory: { gateway: (index < 3 ? 20 : 100) * MIB } });
    expect(verdictOf(run(warm))).toEqual([]);
  });

  it('names the program whose memory grows', () => {
    const leak = (index: number) => ({ memory: { gateway: 50 * index * MIB, other: MIB } });
    expect(verdictOf(run(leak))).toEqual(['The memory of gateway grows: 200 to 350 MiB']);
  });

  it('names a slow growth', () => {
    const leak = (index: number) => ({ memory: { gateway: (112 + 4 * index) * MIB } });
    expect(verdictOf(run(leak))).toEqual(['The memory of gateway grows: 128 to 140 MiB']);
  });

  it('names failed requests and late deliveries', () => {
    const late = (index: number) => ({ failed: index === 4 ? 2 : 0, oldestSeconds: 10 * index });
    expect(verdictOf(run(late))).toEqual(['2 requests failed', 'Deliveries are 70 s late']);
  });
});

describe(soakPlanOf.name, () => {
  it('has defaults, and takes numbers', () => {
    expect(soakPlanOf(['--rate=20', '--minutes=10'])).toMatchObject({
      people: 50_000,
      devices: 1_000_000,
      rate: 20,
      minutes: 10,
    });
  });

  it.each(['--rate=fast', '--speed=1', 'soak', '--minutes=0'])('refuses %s', (arg) => {
    expect(() => soakPlanOf([arg])).toThrow(`${arg}: expected --people=50000`);
  });
});
