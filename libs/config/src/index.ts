export { type ApiGatewayConfig, readApiGatewayConfig } from './api-gateway.config.js';
export { type CliConfig, readCliConfig } from './cli.config.js';
export type {
  DatabaseConfig,
  LoggingConfig,
  RedisConfig,
  TracingConfig,
} from './common.variables.js';
export {
  childEnvironment,
  isRunByNpm,
  type LocalStackConfig,
  readLocalStackConfig,
} from './local-stack.config.js';
export { readLoggingConfig } from './logging.config.js';
export { type MigrateConfig, readMigrateConfig } from './migrate.config.js';
export { type PresenceConfig, readPresenceConfig } from './presence.config.js';
export { type PushSandboxConfig, readPushSandboxConfig } from './push-sandbox.config.js';
export { type PushWorkerConfig, readPushWorkerConfig } from './push-worker.config.js';
export { ConfigError } from './read-variables.js';
export { readTestStoresConfig, type TestStoresConfig } from './test-stores.config.js';
export { unknownVariables } from './unknown-variables.js';
export type { Address, RateRule } from './variable-types.js';
