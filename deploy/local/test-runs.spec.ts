import { describe, expect, it } from '@jest/globals';
import { jestRuns } from './test-runs.js';

/** Without the seed, in one line for each run. */
const linesOf = (...args: string[]) =>
  jestRuns(args).map((run) => run.join(' ').replace(/^--seed 1 /, ''));

describe(jestRuns.name, () => {
  const performance = '--passWithNoTests --selectProjects performance';

  it('runs the performance tests alone, and then the others with more workers', () => {
    expect(linesOf()).toEqual([
      performance,
      '--passWithNoTests --ignoreProjects performance --maxWorkers 4',
    ]);
  });

  it('runs the unit tests alone with coverage', () => {
    expect(linesOf('--coverage')).toEqual([
      performance,
      '--passWithNoTests --coverage --selectProjects unit',
      '--passWithNoTests --ignoreProjects performance unit --maxWorkers 4',
    ]);
  });

  it('makes one run of selected tests', () => {
    expect(linesOf('presence', '-t', 'never skips')).toEqual(['presence -t never skips']);
  });

  it('has a fixed seed, except with another one and in long runs', () => {
    expect(jestRuns([])[0]).toEqual(expect.arrayContaining(['--seed', '1']));
    const given = jestRuns(['--seed=7']);
    expect(given).toHaveLength(2);
    for (const run of given) expect(run).toEqual(expect.arrayContaining(['--seed=7']));
    for (const run of given) expect(run).not.toContain('--seed');
    expect(jestRuns(['--chaos', 'test/law'])).toEqual([['test/law']]);
    expect(jestRuns(['--chaos']).flat()).toContain('push-chaos');
  });
});
