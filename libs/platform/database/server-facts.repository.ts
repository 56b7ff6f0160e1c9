import type { Database } from './database.js';
import { queryRow } from './query-row.js';

/** The facts that a PostgreSQL server reports about itself. */
export interface ServerFacts {
  readonly version: string;
  /** 180004 for 18.4. */
  readonly versionNumber: number;
  readonly now: Date;
  /** A standby, which refuses writes. */
  readonly isStandby: boolean;
  readonly maxConnections: number;
  readonly usedConnections: number;
  readonly databaseBytes: number;
  /** Whether texts are UTF-8, and `lower` knows letters beyond ASCII: all comparisons that ignore case need it. */
  readonly foldsLetters: boolean;
  /** The time zone of the session, unless its offset from UTC is zero in winter and in summer. */
  readonly foreignTimeZone: string | null;
  /** The age of the oldest transaction of the database; null without one. */
  readonly oldestTransactionSeconds: number | null;
  /** Tables on which the role lacks a needed right: read and write; only read for the ledger of migrations. */
  readonly forbiddenTables: readonly string[];
  /** Whether transactions of the role are read-only. */
  readonly isReadOnly: boolean;
  /** Indexes that were not built to their end. */
  readonly invalidIndexes: readonly string[];
}

const FACTS = `
  SELECT current_setting('server_version') AS version,
    current_setting('server_version_num')::int AS "versionNumber",
    clock_timestamp() AS now, pg_is_in_recovery() AS "isStandby",
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      AS "maxConnections",
    (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend')
      AS "usedConnections",
    pg_database_size(current_database()) AS "databaseBytes",
    getdatabaseencoding() = 'UTF8' AND lower('É') = 'é' AS "foldsLetters",
    CASE WHEN extract(timezone FROM timestamptz '2026-01-01Z') <> 0
        OR extract(timezone FROM timestamptz '2026-07-01Z') <> 0
      THEN current_setting('TimeZone') END AS "foreignTimeZone",
    (SELECT extract(epoch FROM max(clock_timestamp() - xact_start))::float8 FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()) AS "oldestTransactionSeconds",
    current_setting('default_transaction_read_only')::boolean AS "isReadOnly",
    ARRAY(
      SELECT relname::text FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
        AND NOT (has_table_privilege(oid, 'SELECT') AND (relname = '_prisma_migrations' OR (
          has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE')
          AND has_table_privilege(oid, 'DELETE'))))
      ORDER BY 1
    ) AS "forbiddenTables",
    ARRAY(SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid ORDER BY 1)
      AS "invalidIndexes"`;

/** Reads the state of the PostgreSQL server, for operators. */
export class ServerFactsRepository {
  constructor(private readonly database: Database) {}

  read(): Promise<ServerFacts> {
    return queryRow<ServerFacts>(this.database, 'server_facts', FACTS);
  }
}
