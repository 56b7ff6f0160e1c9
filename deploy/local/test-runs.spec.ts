import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { jestRuns, requestsOf } from './test-runs.js';

/** Without the seed, in one line for each run. */
const linesOf = (...args: string[]) =>
  jestRuns(args).map((run) => run.join(' ').replace(/^--seed 1 /, ''));

describe(jestRuns.name, () => {
  const performance = '--passWithNoTests --selectProjects performance';
  const files = ['apps', 'bench', 'deploy', 'libs', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((file) => file.endsWith('spec.ts')),
  );

  describe('without arguments', () => {
    const [run = [], ...more] = jestRuns([]);
    const from = run.indexOf('--testPathIgnorePatterns');
    const patterns = run
      .slice(from + 1, run.indexOf('--maxWorkers'))
      .map((pattern) => new RegExp(pattern.replace('<rootDir>/', '^')));
    const left = files.filter(
      (file) =>
        !/(performance|conformance|containers)-spec/.test(file) &&
        !patterns.some((pattern) => pattern.test(file)),
    );

    it('makes one run, without the performance and conformance tests', () => {
      expect(more).toEqual([]);
      expect(run.join(' ')).toContain('--ignoreProjects performance conformance containers --test');
      expect(run.join(' ')).toMatch(/ --maxWorkers 3$/);
    });

    it('runs every unit test', () => {
      const unit = files.filter((file) => file.endsWith('.spec.ts'));
      expect(unit.length).toBeGreaterThan(300);
      expect(unit.filter((file) => !left.includes(file))).toEqual([]);
    });

    it('runs a handful of end-to-end files', () => {
      expect(left.filter((file) => file.includes('e2e-spec'))).toHaveLength(3);
    });

    it('runs a file of each capability that has files on stores', () => {
      const capabilitiesOf = (some: readonly string[]) =>
        new Set(some.map((file) => file.split('/').slice(0, 3).join('/')));
      const isOnStores = (file: string) => file.startsWith('libs/') && file.endsWith('-spec.ts');
      const all = capabilitiesOf(files.filter(isOnStores));
      const kept = capabilitiesOf(left.filter(isOnStores));
      expect(all.size).toBeGreaterThan(40);
      expect([...all].filter((one) => !kept.has(one))).toEqual([]);
    });

    it('leaves out existing files', () => {
      const unused = patterns.filter((pattern) => !files.some((file) => pattern.test(file)));
      expect(unused).toEqual([]);
    });
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

  it('keeps the number of requests from Jest', () => {
    const args = ['--chaos', 'hostile-run', '--requests=20'];
    expect(jestRuns(args)).toEqual([['hostile-run']]);
    expect(args.map((arg) => requestsOf([arg]))).toEqual([undefined, undefined, '20']);
  });

  it('has every file with a long form in long runs', () => {
    const long = files.filter(
      (file) => file.endsWith('-spec.ts') && readFileSync(file, 'utf8').includes('isLongRun'),
    );
    const patterns = jestRuns(['--chaos']).flat();
    expect(patterns.filter((pattern) => pattern.startsWith('-'))).toEqual([]);
    expect(long.length).toBeGreaterThan(10);
    expect(
      long.filter((file) => !patterns.some((pattern) => new RegExp(pattern).test(file))),
    ).toEqual([]);
  });
});
