import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The migrations of this release, relative to the project root, the working directory of all programs. */
export const MIGRATIONS_FOLDER = join('prisma', 'migrations');

/** The finished migrations of a database that were not rolled back. */
export const APPLIED_MIGRATIONS = `
  SELECT migration_name, checksum FROM "_prisma_migrations"
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`;

/** A row of APPLIED_MIGRATIONS. */
export interface AppliedMigration {
  readonly migration_name: string;
  readonly checksum: string;
}

/** A migration of this release. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** The differences between a database and the migrations of this release, in ascending order. */
export interface SchemaDifference {
  /** Migrations of this release that the database lacks. */
  readonly missing: readonly string[];
  /** Migrations of the database that this release does not know. */
  readonly unknown: readonly string[];
}

/** Resolves with the names of the migrations in a folder, ascending. */
export async function readMigrationNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}

/** Resolves with the migrations in a folder, ascending by name. A checksum is the hexadecimal SHA-256 of the SQL. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = await readMigrationNames(folder);
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** Compares the names of the migrations of this release with those of the applied ones. */
export function compareNames(
  known: readonly string[],
  applied: readonly string[],
): SchemaDifference {
  return {
    missing: known.filter((name) => !applied.includes(name)).toSorted(),
    unknown: applied.filter((name) => !known.includes(name)).toSorted(),
  };
}
