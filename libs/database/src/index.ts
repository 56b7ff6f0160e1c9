export { applyMigrations, MigrationMismatch } from './apply-migrations.js';
export { Database, type Session } from './database.js';
export { DatabaseModule } from './database.module.js';
// For `*.repository.ts` files only, which the walls check.
export { Prisma } from './generated/client.js';
