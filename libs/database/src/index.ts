export { applyMigrations, MigrationMismatch } from './apply-migrations.js';
export { Database } from './database.js';
export { DatabaseModule } from './database.module.js';
// For `*.repository.ts` files only, which the walls check.
export { Prisma } from './generated/client.js';
