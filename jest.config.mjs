import { swcOptions } from './deploy/local/swc-options.mjs';

/** What every tier shares: native ES modules, TypeScript through swc with decorator metadata. */
const tier = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  // `#platform/core` and its siblings resolve to TypeScript sources under this condition of package.json.
  testEnvironmentOptions: { customExportConditions: ['carillon-source', 'node', 'node-addons'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  transformIgnorePatterns: ['/node_modules/', '\\.mjs$'],
  coveragePathIgnorePatterns: ['/generated/'],
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
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
  // Most of a run waits. One worker alone would also run in Jest's own process, which is never replaced.
  maxWorkers: 2,
  // Modules of ended test files are never given back: a worker is replaced before it does little but collect.
  workerIdleMemoryLimit: '1200MB',
  // For `--coverage`.
  coverageProvider: 'v8',
  coverageReporters: ['text-summary'],
  collectCoverageFrom: ['{apps,libs}/**/!(*spec|*fixture).ts'],
  projects: [
    {
      ...tier,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs,deploy,bench,test/walls}/**/*.spec.ts'],
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
    { ...tierOnStores, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.e2e-spec.ts'] },
  ],
};
