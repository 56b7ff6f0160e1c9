/** Given by `.ci/run` and `npm run test:all`: all test files, and a short run of each chaos test. */
const ALL = '--all';
/** Given by `.ci/run`: also prints the coverage of the unit tests. */
export const COVERAGE = '--coverage';
/** Given by `npm run test:chaos`: only the random tests, long, and with a random seed. */
export const CHAOS = '--chaos';

/** Given with the number of requests of the hostile run. */
const REQUESTS = '--requests=';

/** That number, as text, if it is given. */
export const requestsOf = (args: readonly string[]): string | undefined =>
  args.find((argument) => argument.startsWith(REQUESTS))?.slice(REQUESTS.length);

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
/** The tiers that only `npm run test:all` runs. */
const ALL_TIERS = ['performance', 'conformance'];
/** The end-to-end files of `npm test`: a test notification, a new key, and a day of the app, with its messages. */
const SMOKE_FILES = ['test-notification', 'regenerate', 'mobile-day'];
/** Parts of the paths of the other files that only `npm run test:all` runs; `docs/testing.md` has the reasons. */
const ALL_FILES = {
  endToEnd: [`(?<!/(${SMOKE_FILES.join('|')}))\\.e2e-spec`],
  random: [
    'test/law',
    'hostile',
    'presence-never-skips',
    'fetch-model',
    'decision\\.integ',
    'sign-in-leases\\.integ',
    'chaos\\.',
  ],
  largeData: [
    'fetch-bytes',
    'sizes-of-lists',
    'seed\\.integ',
    'message-erasure\\.http',
    'large-answers\\.http',
    '/migrations\\.integ',
    'group-size',
    'push-ledger-upgrade',
  ],
  groupsOfStores: ['failover', 'cluster', 'cli-standby', 'redis-sentinel'],
  failures: [
    'relay-faults',
    'push-outage',
    'readiness',
    'messages-after-commit',
    'presence-recovery',
    'presence-reading-outage',
    'presence-invisible',
    'presence-transport-outage',
    'kept-connections',
  ],
  clients: ['zulip-js', 'senders', 'tus-client'],
  ownPrograms: [
    'real-proxies',
    'event-queues',
    'polls-of-a-queue',
    'presence-events-order',
    'presence-guests',
    'gateway-edge',
    'edge-costs',
    '/limits\\.',
    'direct-reports',
    'message-ids',
    'tenant-settings',
    'tenant-late-bodies',
    'server-transfer',
    'uploads-s3',
    'relayed-test-notification',
    'video-calls-registration',
    'telemetry-gateway',
    'telemetry-presence\\.',
    'telemetry-push',
    'telemetry-pipeline',
    'outbound-requests\\.integ',
    'private-stores',
    'hijacked-answers',
    'edge-bodies',
    'ops-sign-in',
    'video-calls\\.http',
    'cli-doctor',
    'cli-organisation-settings',
    'push-relay\\.integ',
    'push-relay-plain-text',
    'shown-pushes',
    'push-turns',
    'push-feedback\\.integ',
    'newest-registrations',
    'presence-last-seen',
    'queue-processor',
  ],
};
/** The random tests are the same in each run. */
const FIXED_SEED = '1';
/** Many test files wait for programs and stores: three workers keep two cores busy, and four with the files of all tiers. */
const workers = (hasAll: boolean) => ['--maxWorkers', hasAll ? '4' : '3'];

/**
 * The arguments of each run of Jest, one after the other. The performance tests run first and with fewer workers, because
 * they measure how long the event loop of a program is blocked. With `--coverage` the unit tests run alone, because only
 * they need it.
 */
export function jestRuns(args: readonly string[]): string[][] {
  const given = args.filter(
    (argument) => ![ALL, CHAOS, COVERAGE].includes(argument) && !argument.startsWith(REQUESTS),
  );
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
  const withoutTiers = [
    ...(hasAll ? ['performance'] : ALL_TIERS),
    'containers',
    ...(alone.length > 0 ? ['unit'] : []),
  ];
  const withoutFiles = hasAll ? [] : ['--testPathIgnorePatterns', ...ignoredPaths()];
  return [
    ...(hasAll ? [['--selectProjects', 'performance']] : []),
    ...alone,
    ['--ignoreProjects', ...withoutTiers, ...withoutFiles, ...workers(hasAll)],
  ];
}

/** With the root, because the folder of the project may have the name of a file. */
const ignoredPaths = () =>
  Object.values(ALL_FILES)
    .flat()
    .map((part) => `<rootDir>/.*${part}`);
