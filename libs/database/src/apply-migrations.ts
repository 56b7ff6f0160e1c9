import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import {
  APPLIED_MIGRATIONS,
  type AppliedMigration,
  type Migration,
  MIGRATIONS_FOLDER,
  readMigrations,
} from './migration-ledger.js';

/** Any number that no one else locks; held while migrating, so that two runners take turns. */
const MIGRATION_LOCK = 7_218_091_101;

/** The ledger of Prisma's own tool, so that operators may use `prisma migrate deploy` instead. */
const CREATE_LEDGER = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
  )`;

/** The database and the files have diverged: an applied file was changed, or another branch was applied. */
export class MigrationMismatch extends Error {
  override readonly name = 'MigrationMismatch';
}

/**
 * Brings a database up to date: applies what is missing of `folder`, each file in a transaction of its
 * own, and resolves with the names applied. Fills the ledger as `prisma migrate deploy` does.
 *
 * A database that a newer release has migrated is left as it is, so that the programs of this release can run on it
 * again after a rollback. Rejects with MigrationMismatch when an applied file has changed since, or when the database
 * has unknown migrations that are not simply newer; and with the server's error, the migration named, when a statement
 * fails (nothing of that file is then left behind).
 */
export async function applyMigrations(
  databaseUrl: string,
  folder = MIGRATIONS_FOLDER,
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(CREATE_LEDGER);
    const ledger = await client.query<AppliedMigration>(APPLIED_MIGRATIONS);
    const applied = new Map(ledger.rows.map((row) => [row.migration_name, row.checksum]));
    refuseMismatch(migrations, applied);
    const missing = migrations.filter((migration) => !applied.has(migration.name));
    for (const migration of missing) await applyOne(client, migration);
    return missing.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

function refuseMismatch(
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, string>,
): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  const newest = migrations.findLast(({ name }) => applied.has(name))?.name ?? '';
  const isBehind = migrations.every(({ name }) => applied.has(name));
  for (const [name, checksum] of applied) {
    const expected = known.get(name);
    // A newer release has been here: everything that this one needs is there.
    if (expected === checksum || (expected === undefined && isBehind && name > newest)) continue;
    throw new MigrationMismatch(
      expected === undefined
        ? `The database has the migration ${name}, which this version does not know, though it lacks others. Run a newer version, or use another database.`
        : `The migration ${name} was changed after it had been applied. Restore the file, and put the change into a new migration.`,
    );
  }
}

async function applyOne(client: Client, migration: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(migration.sql);
    await client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), migration.checksum, migration.name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`The migration ${migration.name} failed: ${String(error)}`, { cause: error });
  }
}
