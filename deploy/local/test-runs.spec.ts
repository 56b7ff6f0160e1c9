import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { jestRuns } from './test-runs.js';

/** Without the seed, in one line for each run. */
const linesOf = (...args: string[]) =>
  jestRuns(args).map((run) => run.join(' ').replace(/^--seed 1 /, ''));

describe(jestRuns.name, () => {
  const performance = '--passWithNoTests --selectProjects performance';
  const faults = `--testPathIgnorePatterns ${[
    'chaos\\. relay-faults two-installations last-release rolling-restart failover lagging-standby',
    'tls-redis push-cluster cli-cluster cli-standby',
  ].join(' ')}`;

  it('runs neither the performance tests nor those that let whole systems fail', () => {
    expect(linesOf()).toEqual([
      `--passWithNoTests --ignoreProjects performance containers ${faults} --maxWorkers 4`,
    ]);
  });

  it('runs the performance tests alone before all others, which have more workers', () => {
    expect(linesOf('--all')).toEqual([
      performance,
      '--passWithNoTests --ignoreProjects performance containers --maxWorkers 4',
    ]);
  });

  it('runs the unit tests alone with coverage', () => {
    expect(linesOf('--all', '--coverage')).toEqual([
      performance,
      '--passWithNoTests --coverage --selectProjects unit',
      '--passWithNoTests --ignoreProjects performance containers unit --maxWorkers 4',
    ]);
  });

  it('makes one run of selected tests', () => {
    expect(linesOf('presence', '-t', 'never skips')).toEqual(['presence -t never skips']);
  });

  it('has a fixed seed, except with another one and in long runs', () => {
    expect(jestRuns([])[0]).toEqual(expect.arrayContaining(['--seed', '1']));
    const given = jestRuns(['--all', '--seed=7']);
    expect(given).toHaveLength(2);
    for (const run of given) expect(run).toEqual(expect.arrayContaining(['--seed=7']));
    for (const run of given) expect(run).not.toContain('--seed');
    expect(jestRuns(['--chaos', 'test/law'])).toEqual([['test/law']]);
    expect(jestRuns(['--chaos']).flat()).toContain('chaos\\.');
  });

  it('has every file with a long form in long runs', () => {
    const files = ['libs', 'test'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((file) => `${folder}/${file}`)
        .filter((file) => file.endsWith('-spec.ts')),
    );
    const long = files.filter((file) => readFileSync(file, 'utf8').includes('isLongRun'));
    const patterns = jestRuns(['--chaos']).flat();
    expect(patterns.filter((pattern) => pattern.startsWith('-'))).toEqual([]);
    expect(long.length).toBeGreaterThan(10);
    expect(
      long.filter((file) => !patterns.some((pattern) => new RegExp(pattern).test(file))),
    ).toEqual([]);
  });
});
