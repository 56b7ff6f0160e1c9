/** Given by `.ci/run` and `npm run test:all`: also the performance tests, and a short run of each chaos test. */
const ALL = '--all';
/** Given by `.ci/run`: also prints the coverage of the unit tests. */
export const COVERAGE = '--coverage';
/** Given by `npm run test:chaos`: only the random tests, long, and with a random seed. */
export const CHAOS = '--chaos';

/** Parts of the paths of random tests that let whole systems fail. Jest would read one that begins with `-` as an option. */
const CHAOS_FAULTS = [
  'chaos\\.',
  'relay-faults',
  'two-installations',
  'last-release',
  'rolling-restart',
];
/** Parts of the paths of all files with a long run. */
const CHAOS_FILES = [
  ...CHAOS_FAULTS,
  'presence-never-skips',
  'push-transport.conf',
  'hostile',
  'test/law',
  'endpoints.performance',
];
/** Parts of the paths of the files that let whole systems fail for a minute; not in `npm test`, which is to stay short. */
const FAULT_FILES = [
  ...CHAOS_FAULTS,
  'failover',
  'lagging-standby',
  'tls-redis',
  'push-cluster',
  'cli-cluster',
  'cli-standby',
];
/** The random tests are the same in each run. */
const FIXED_SEED = '1';
/** Half of the test files wait for programs and stores: four workers keep two cores busy. */
const WORKERS = ['--maxWorkers', '4'];

/**
 * The arguments of each run of Jest, one after the other. The performance tests run first and with fewer workers, because
 * they measure how long the event loop of a program is blocked. With `--coverage` the unit tests run alone, because only
 * they need it.
 */
export function jestRuns(args: readonly string[]): string[][] {
  const given = args.filter((argument) => ![ALL, CHAOS, COVERAGE].includes(argument));
  const isSelection = given.some((argument) => !argument.startsWith('--seed'));
  if (args.includes(CHAOS)) {
    const hasFiles = given.some((argument) => !argument.startsWith('-'));
    return [hasFiles ? given : [...CHAOS_FILES, ...given]];
  }
  const isSeedGiven = given.some((argument) => argument.startsWith('--seed'));
  const all = isSeedGiven ? given : ['--seed', FIXED_SEED, ...given];
  if (isSelection && !args.includes(COVERAGE)) return [all];
  return tiers(args).map((run) => [...all, '--passWithNoTests', ...run]);
}

function tiers(args: readonly string[]): string[][] {
  const hasAll = args.includes(ALL);
  const alone = args.includes(COVERAGE) ? [[COVERAGE, '--selectProjects', 'unit']] : [];
  const ignored = ['performance', 'containers', ...(alone.length > 0 ? ['unit'] : [])];
  const others = ['--ignoreProjects', ...ignored];
  const faults = hasAll ? [] : ['--testPathIgnorePatterns', ...FAULT_FILES];
  return [
    ...(hasAll ? [['--selectProjects', 'performance']] : []),
    ...alone,
    [...others, ...faults, ...WORKERS],
  ];
}
