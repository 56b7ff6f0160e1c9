import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { type Backoff, backoffMs, isConflict } from '#platform/core';
import type { Migration } from './migration-ledger.js';

/**
 * How long a statement of a migration waits for a lock. Statements of running programs queue behind it, so it gives up
 * and tries again later instead of waiting for a long transaction, such as a backup.
 */
const LOCK_TIMEOUT = '2s';
/** Released migrations have a limit of their own, which would replace this one. */
const OWN_LOCK_TIMEOUT = /^SET LOCAL lock_timeout = .*;$/gim;
const BETWEEN_TRIES: Backoff = { firstMs: 500, maxMs: 15_000 };

/** The first line of a file whose only statement cannot run in a transaction. */
const NO_TRANSACTION = '-- no transaction\n';
const CONCURRENT_INDEX =
  /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+IF\s+NOT\s+EXISTS\s+"?(\w+)"?/im;

const RECORD = `
  INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count)
  VALUES ($1, $2, $3, now(), 1)`;

const IS_INVALID = `
  SELECT FROM pg_index WHERE indexrelid = to_regclass(quote_ident($1)) AND NOT indisvalid`;

/**
 * Applies one migration and records it. A file is one transaction; one that begins with `-- no transaction` has a single
 * statement that can be repeated, which runs outside of a transaction.
 *
 * Without a lock within two seconds, and after a deadlock with a running program, the attempt is rolled back and repeated
 * with growing delays, for `maxLockWaitMs` in all.
 * Rejects with the error of the server and the name of the migration.
 */
export async function runMigration(
  client: Client,
  migration: Migration,
  maxLockWaitMs: number,
): Promise<void> {
  const logger = new Logger('migrate');
  const run = migration.sql.startsWith(NO_TRANSACTION) ? runWithoutTransaction : runInTransaction;
  const endsAt = performance.now() + maxLockWaitMs;
  for (let failures = 1; ; failures += 1) {
    try {
      await run(client, migration);
      return;
    } catch (error) {
      const waitMs = backoffMs(failures, BETWEEN_TRIES);
      const mayWait = performance.now() + waitMs < endsAt;
      if (!isConflict(error) || !mayWait) {
        const text = `The migration ${migration.name} failed: ${String(error)}`;
        throw new Error(text, { cause: error });
      }
      logger.warn(`${migration.name} waits for a lock and is tried again in ${waitMs} ms`);
      await delay(waitMs);
    }
  }
}

async function runInTransaction(client: Client, migration: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await client.query(migration.sql.replaceAll(OWN_LOCK_TIMEOUT, ''));
    await record(client, migration);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/**
 * A concurrent statement waits for old transactions without making others wait, so it has no limit. An index that an
 * interrupted attempt has left behind is removed first.
 */
async function runWithoutTransaction(client: Client, migration: Migration): Promise<void> {
  const [, index] = CONCURRENT_INDEX.exec(migration.sql) ?? [];
  if (index !== undefined) {
    const { rowCount } = await client.query(IS_INVALID, [index]);
    if (rowCount === 1) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS "${index}"`);
  }
  await client.query(migration.sql);
  await record(client, migration);
}

async function record(client: Client, { name, checksum }: Migration): Promise<void> {
  await client.query(RECORD, [randomUUID(), checksum, name]);
}
