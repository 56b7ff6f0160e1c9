import { describe, expect, it } from '@jest/globals';
import { type JestReport, slowestFiles, summaryLine, tallyByTier, total } from './test-report.js';

const file = (
  name: string,
  statuses: string[],
  status = statuses.includes('failed') ? 'failed' : 'passed',
): JestReport['testResults'][number] => ({
  name,
  status,
  message: '',
  startTime: 0,
  endTime: 0,
  assertionResults: statuses.map((assertion) => ({ status: assertion })),
});

describe(tallyByTier.name, () => {
  it('groups files into tiers by name and keeps the order of the tiers', () => {
    const tallies = tallyByTier({
      testResults: [
        file('/x/test/e2e/walk.e2e-spec.ts', ['passed']),
        file('/x/libs/a/a.spec.ts', ['passed', 'failed', 'pending', 'todo']),
        file('/x/libs/a/b.integration-spec.ts', ['passed', 'passed']),
        file('/x/libs/a/b.http-spec.ts', ['passed']),
        file('/x/libs/a/c.spec.ts', ['passed']),
        file('/x/test/performance/d.performance-spec.ts', ['passed']),
      ],
    });
    expect([...tallies]).toEqual([
      ['unit', { passed: 2, failed: 1, skipped: 2 }],
      ['http', { passed: 1, failed: 0, skipped: 0 }],
      ['integration', { passed: 2, failed: 0, skipped: 0 }],
      ['performance', { passed: 1, failed: 0, skipped: 0 }],
      ['e2e', { passed: 1, failed: 0, skipped: 0 }],
    ]);
  });

  it('counts a file that could not run as a failure', () => {
    const tallies = tallyByTier({ testResults: [file('/x/broken.spec.ts', [], 'failed')] });
    expect(total(tallies.values()).failed).toBe(1);
  });

  it('counts a file with passed tests and a failed clean-up as a failure', () => {
    const tallies = tallyByTier({ testResults: [file('/x/a.spec.ts', ['passed'], 'failed')] });
    expect(total(tallies.values())).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });
});

describe(summaryLine.name, () => {
  it('mentions skipped tests only if there are any', () => {
    expect(summaryLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
    expect(summaryLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
  });
});

describe(slowestFiles.name, () => {
  const took = (name: string, endTime: number) => ({ ...file(name, []), endTime });

  it('lists the slowest files first, by their paths in the project', () => {
    const testResults = [
      took('/x/libs/a.spec.ts', 20),
      took('/x/test/b.e2e-spec.ts', 61_250),
      took('/x/c.spec.ts', 4000),
    ];
    expect(slowestFiles({ testResults }, '/x', 2)).toEqual([
      '   61.3 s  test/b.e2e-spec.ts',
      '    4.0 s  c.spec.ts',
    ]);
  });
});
