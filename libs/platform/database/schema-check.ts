import { errorCode } from '#platform/core';
import type { Database } from './database.js';
import {
  APPLIED_MIGRATIONS,
  type AppliedMigration,
  compareNames,
  MIGRATIONS_FOLDER,
  readMigrationNames,
  type SchemaDifference,
} from './migration-ledger.js';

/** PostgreSQL's code for a table that does not exist. */
const UNDEFINED_TABLE = '42P01';

/** Checks that the database has the schema of this release. */
export class SchemaCheck {
  #isPassed = false;

  constructor(
    private readonly database: Database,
    private readonly folder = MIGRATIONS_FOLDER,
  ) {}

  /** Whether the check has passed once. */
  get isPassed(): boolean {
    return this.#isPassed;
  }

  /**
   * Rejects if a migration of this release is missing, or with the error of PostgreSQL. Migrations of a newer release
   * are permitted, so that two releases can run at the same time. A schema is not rolled back while programs run, so
   * the check sends no more statements once it has passed.
   */
  async check(): Promise<void> {
    if (this.#isPassed) return;
    const { missing } = await this.compare();
    const newest = missing.at(-1);
    if (newest !== undefined) {
      throw new Error(
        `the database lacks the migration ${newest}${othersText(missing.length - 1)}; run the migration step`,
      );
    }
    this.#isPassed = true;
  }

  /** Rejects when PostgreSQL does not answer. */
  async compare(): Promise<SchemaDifference> {
    const [known, applied] = await Promise.all([readMigrationNames(this.folder), this.#applied()]);
    return compareNames(known, applied);
  }

  async #applied(): Promise<string[]> {
    try {
      const rows = await this.database.query<AppliedMigration>(
        'applied_migrations',
        APPLIED_MIGRATIONS,
      );
      return rows.map((row) => row.migration_name);
    } catch (error) {
      // A database without the table has no migrations.
      if (errorCode(error) === UNDEFINED_TABLE) return [];
      throw error;
    }
  }
}

const othersText = (count: number): string => (count === 0 ? '' : ` and ${count} before it`);
