import { describe, expect, it } from '@jest/globals';
import { resultOf } from '../results.js';
import { scenarioWith } from './missing-feature.js';
import type { Bench } from './scenario.js';

const measured = { name: 'some', value: 2, unit: '/s', limit: 1, target: null, cpu_s_per_1000: {} };
const finding = { result: resultOf(measured), notes: [], faults: [] };

describe(scenarioWith.name, () => {
  const feature = { title: 'quiet hours', table: 'users', column: 'push_quiet_times' };
  const { measure } = scenarioWith(feature, 'push.some', () => Promise.resolve(finding));

  /** A build whose schema has these columns, and what the scenario prints. */
  function build(columns: readonly string[]) {
    const lines: string[] = [];
    const bench = {
      world: {
        hasColumn: async (table: string, column: string) => columns.includes(`${table}.${column}`),
      },
      programs: { place: { root: '/other' } },
      progress: { print: (line: string) => lines.push(line) },
    };
    // Only these members are used.
    return { bench: bench as unknown as Bench, lines };
  }

  it('measures a build that has it', async () => {
    const { bench, lines } = build(['users.push_quiet_times']);
    expect(await measure(bench)).toBe(finding);
    expect(lines).toEqual([]);
  });

  it('says that an older build does not have it', async () => {
    const { bench, lines } = build(['users.id']);
    expect(await measure(bench)).toEqual([]);
    expect(lines).toEqual(['push.some: the build in /other has no quiet hours']);
  });
});
