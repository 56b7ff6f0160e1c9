import type { HealthCheck } from '#platform/core';
import type { PoolState, TableSize } from '#platform/telemetry';
import type { Database } from './database.js';
import { SchemaCheck } from './schema-check.js';
import { TableSizesRepository } from './table-sizes.repository.js';

/** The readiness checks of the database, the state of its connection pool, and the sizes of its tables. */
export class DatabaseHealth {
  readonly postgresql: HealthCheck;
  /** Whether PostgreSQL takes writes. */
  readonly writes: HealthCheck;
  readonly schema: HealthCheck;
  /** Whether `schema` has passed once. */
  readonly hasSchema: () => boolean;
  readonly pool: () => PoolState;
  /** Rejects while PostgreSQL is down. */
  readonly tables: () => Promise<TableSize[]>;

  /** `place`: where the database is, for the log. */
  constructor(database: Database, place: string) {
    const schema = new SchemaCheck(database);
    this.postgresql = { name: 'postgresql', place, check: () => database.ping() };
    this.writes = { name: 'writes', place, check: () => database.checkWrites() };
    this.pool = () => database.connections;
    const tables = new TableSizesRepository(database);
    this.tables = () => tables.read();
    this.schema = { name: 'schema', place, check: () => schema.check() };
    this.hasSchema = () => schema.isPassed;
  }
}
