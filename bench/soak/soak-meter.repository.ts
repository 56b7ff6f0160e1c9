import type { Database } from '#platform/database';

const TABLES = `
  SELECT relname AS name, pg_total_relation_size(oid)::float8 AS bytes FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
  ORDER BY bytes DESC LIMIT $1`;

const PENDING = `
  SELECT coalesce(sum(deliveries), 0)::int AS pending,
    coalesce(extract(epoch FROM now() - min(accepted_at)), 0)::float8 AS "oldestSeconds"
  FROM (
    SELECT 1 AS deliveries, accepted_at FROM push_deliveries WHERE state = 'pending'
    UNION ALL
    SELECT cardinality(device_ids), accepted_at FROM push_pages WHERE is_open
  ) AS waiting`;

/** The tables of a sample. */
const MAX_TABLES = 12;

/** Reads sizes and the backlog from PostgreSQL. */
export class SoakMeterRepository {
  constructor(private readonly database: Database) {}

  /** The bytes of the largest tables, with their indexes. */
  async tables(): Promise<Record<string, number>> {
    const rows = await this.database.query<{ name: string; bytes: number }>('soak_tables', TABLES, [
      MAX_TABLES,
    ]);
    return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]));
  }

  async backlog(): Promise<{ pending: number; oldestSeconds: number }> {
    const [row] = await this.database.query<{ pending: number; oldestSeconds: number }>(
      'soak_backlog',
      PENDING,
    );
    return row ?? { pending: 0, oldestSeconds: 0 };
  }
}
