import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';

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

/** A migration that was applied is no longer what its file says, or is not there any more. */
export class MigrationMismatch extends Error {
  override readonly name = 'MigrationMismatch';
}

/**
 * Brings a database up to date: applies what is missing of `folder`, each file in a transaction of its
 * own, and resolves with the names applied. Fills the ledger as `prisma migrate deploy` does.
 *
 * Rejects with MigrationMismatch when an applied file has changed since, and with the server's error,
 * the migration named, when a statement fails (nothing of that file is then left behind).
 */
export async function applyMigrations(
  databaseUrl: string,
  folder = join('prisma', 'migrations'),
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(CREATE_LEDGER);
    const ledger = await client.query<{ migration_name: string; checksum: string }>(
      `SELECT migration_name, checksum FROM "_prisma_migrations"
       WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
    );
    const applied = new Map(ledger.rows.map((row) => [row.migration_name, row.checksum]));
    refuseMismatch(migrations, applied);
    const missing = migrations.filter((migration) => !applied.has(migration.name));
    for (const migration of missing) await applyOne(client, migration);
    return missing.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.toSorted().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

function refuseMismatch(
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, string>,
): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  for (const [name, checksum] of applied) {
    const expected = known.get(name);
    if (expected === checksum) continue;
    throw new MigrationMismatch(
      expected === undefined
        ? `The database has the migration ${name}, which this version does not know. Run a newer version, or use another database.`
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
