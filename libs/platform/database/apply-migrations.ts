import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import {
  APPLIED_MIGRATIONS,
  type AppliedMigration,
  type Migration,
  MIGRATIONS_FOLDER,
  readMigrations,
} from './migration-ledger.js';
import { clientOf } from './primary-client.js';
import { runMigration } from './migration-run.js';

/**
 * The key of the advisory lock of migrations. It makes concurrent runs wait for each other; any unused number works.
 */
const MIGRATION_LOCK = 7_218_091_101;
const TRY_LOCK = 'SELECT pg_try_advisory_lock($1) AS is_mine';
const LOCK_POLL_MS = 200;

const CONNECT_TIMEOUT_MS = 10_000;

/** How long each migration may wait for locks of others. */
const MAX_LOCK_WAIT_MS = 10 * 60_000;

/** The table of Prisma's command line, so that operators can run `prisma migrate deploy` instead. */
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
 * Applies the missing migrations of `folder`, each as `runMigration` does, and resolves with their names. It records them
 * like `prisma migrate deploy`.
 *
 * A database with migrations of a newer release is not changed, so that the programs of this release run on it after a
 * rollback. Rejects with MigrationMismatch if an applied file was changed, or if the database has unknown migrations
 * that are not simply newer. If a statement fails, rejects with the error of the server and the name of the migration;
 * that file is rolled back.
 */
export async function applyMigrations(
  databaseUrl: string,
  folder = MIGRATIONS_FOLDER,
  maxLockWaitMs = MAX_LOCK_WAIT_MS,
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const client = clientOf(databaseUrl, {
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A statement has no limit, and its server may be lost without notice.
    keepAlive: true,
  });
  // Between two statements nothing else listens, and a lost connection would end the process; the next statement rejects.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // An index of a large table takes longer than the limit that the role or the database may have.
    await client.query('SET statement_timeout = 0');
    await lockMigrations(client);
    await client.query(CREATE_LEDGER);
    const ledger = await client.query<AppliedMigration>(APPLIED_MIGRATIONS);
    const applied = new Map(ledger.rows.map((row) => [row.migration_name, row.checksum]));
    refuseMismatch(migrations, applied);
    const missing = migrations.filter((migration) => !applied.has(migration.name));
    for (const migration of missing) await runMigration(client, migration, maxLockWaitMs);
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
    // A newer release has migrated the database, which therefore has every migration of this release.
    if (expected === checksum || (expected === undefined && isBehind && name > newest)) continue;
    throw new MigrationMismatch(
      expected === undefined
        ? `The database has the migration ${name}, which this version does not know, though it lacks others. Run a newer version, or use another database.`
        : `The migration ${name} was changed after it had been applied. Restore the file, and put the change into a new migration.`,
    );
  }
}

/**
 * Waits for other runs. Asks again and again instead of waiting in one statement: a waiting statement has a snapshot, and
 * `CREATE INDEX CONCURRENTLY` of the other run would wait for its end.
 */
async function lockMigrations(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ is_mine: boolean }>(TRY_LOCK, [MIGRATION_LOCK]);
    if (rows[0]?.is_mine === true) return;
    await delay(LOCK_POLL_MS);
  }
}
