export { unknownVariables, variableReference } from './all-variables.js';
export { type ApiGatewayConfig, readApiGatewayConfig } from './api-gateway.config.js';
export { readLoggingConfig } from './common.variables.js';
export { type DatabaseAddress, databaseAddress } from './database-address.js';
export {
  childEnvironment,
  isRunByNpm,
  type LocalStackConfig,
  type PushSandboxConfig,
  readContainersTestConfig,
  readLocalStackConfig,
  readPushSandboxConfig,
  readTestStoresConfig,
} from './local-stack.config.js';
export { isLoopback } from './loopback.js';
export { memoryNeeds } from './memory-needs.js';
export { type PresenceConfig, readPresenceConfig } from './presence.config.js';
export { type PushWorkerConfig, readPushWorkerConfig } from './push-worker.config.js';
export { ConfigError, isAnySet } from './read-variables.js';
export { redisAddress, redisAuthorityFile } from './redis-address.js';
export { sentinelAddress } from './sentinel-address.js';
export { hostAndPort, type ServerAddress } from './server-address.js';
export { type CliConfig, readCliConfig, readMigrateConfig } from './tools.config.js';
export type { SharedSettings } from './shared-settings.js';
export { storePlace } from './store-place.js';
export type { RateRule } from './variable-types.js';
export { limitVariables } from './api-gateway.variables.js';
