/** What every tier shares: Node loads the modules, and a file runs in the global scope of its worker. */
const tier = {
  testRunner: '<rootDir>/test/runner/run-file.mjs',
  testEnvironment: '<rootDir>/test/runner/environment.mjs',
  // There is one process object, and Node itself calls its `nextTick`.
  fakeTimers: { doNotFake: ['nextTick'] },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  transform: { '^.+\\.ts$': '<rootDir>/test/runner/transformer.mjs' },
  coveragePathIgnorePatterns: ['/generated/'],
};

/** The tiers that use the stores of the run. */
const tierOnStores = {
  ...tier,
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};

export default {
  // A slow or busy machine is no failure; what hangs is still found.
  testTimeout: 120_000,
  // The performance tests measure how long the event loop of a program is blocked. `npm test` runs the others with more.
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/runner/sequencer.mjs',
  // Also keeps files out of Jest's own process, where modules would be stale after a change (`--watch`).
  workerIdleMemoryLimit: '1200MB',
  // A worker ends within milliseconds, but on a busy machine it may have to wait for its turn longer than Jest's 500 ms.
  workerGracefulExitTimeout: 15_000,
  // For `--coverage`.
  coverageProvider: 'v8',
  coverageReporters: ['text-summary'],
  collectCoverageFrom: ['{apps,libs}/**/!(*spec|*fixture).ts'],
  projects: [
    {
      ...tier,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs,deploy,bench,test/walls,test/runner}/**/*.spec.ts'],
    },
    {
      ...tierOnStores,
      displayName: 'http',
      testMatch: ['<rootDir>/{libs,test}/**/*.http-spec.ts'],
    },
    {
      ...tierOnStores,
      displayName: 'integration',
      testMatch: ['<rootDir>/{apps,libs,test}/**/*.integration-spec.ts'],
    },
    {
      ...tierOnStores,
      displayName: 'conformance',
      testMatch: ['<rootDir>/test/conformance/**/*.conformance-spec.ts'],
    },
    {
      ...tierOnStores,
      displayName: 'performance',
      testMatch: ['<rootDir>/test/performance/*.performance-spec.ts'],
    },
    {
      ...tierOnStores,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/{e2e,clients,law}/**/*.e2e-spec.ts'],
    },
    {
      ...tier,
      displayName: 'containers',
      testMatch: ['<rootDir>/test/containers/**/*.containers-spec.ts'],
    },
  ],
};
