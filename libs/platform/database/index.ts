export { applyMigrations, MigrationMismatch } from './apply-migrations.js';
export { Database, type Session, type Transaction } from './database.js';
export {
  boundedEntries,
  hasRoom,
  jsonBytesOf,
  lockAndCheckBytes,
  lockAndCheckRoom,
  lockList,
} from './capped-list.js';
export { DatabaseModule } from './database.module.js';
export { clientOf } from './primary-client.js';
export { queryRow } from './query-row.js';
export { DatabaseHealth } from './database-health.js';
export type { SchemaDifference } from './migration-ledger.js';
export { type ServerFacts, ServerFactsRepository } from './server-facts.repository.js';
export { SchemaCheck } from './schema-check.js';
export { SchemaHooks } from './schema-hooks.js';
// Only for `*.repository.ts` files, which the import rules check.
export { Prisma } from './generated/client.js';
