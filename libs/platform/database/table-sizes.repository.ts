import type { TableSize } from '#platform/telemetry';
import type { Database } from './database.js';

// `reltuples` is of the last vacuum or analysis, and -1 before. `n_live_tup` counts since a crash of the server.
const SIZES = `
  SELECT class.relname AS table, greatest(class.reltuples, stats.n_live_tup, 0)::float8 AS rows,
    coalesce(pg_total_relation_size(class.oid), 0) AS bytes
  FROM pg_class class JOIN pg_stat_user_tables stats ON stats.relid = class.oid
  WHERE stats.schemaname = current_schema()`;

/** Reads what PostgreSQL knows of the sizes of all tables, without scanning them. */
export class TableSizesRepository {
  constructor(private readonly database: Database) {}

  read(): Promise<TableSize[]> {
    return this.database.query<TableSize>('table_sizes', SIZES);
  }
}
