import type { HealthCheck } from '#platform/core';
import type { PoolState } from '#platform/telemetry';
import type { Database } from './database.js';
import { SchemaCheck } from './schema-check.js';

/** The readiness checks of the database, and the state of its connection pool. */
export class DatabaseHealth {
  readonly postgresql: HealthCheck;
  readonly schema: HealthCheck;
  readonly pool: () => PoolState;

  constructor(database: Database) {
    const schema = new SchemaCheck(database);
    this.postgresql = { name: 'postgresql', check: () => database.ping() };
    this.pool = () => database.connections;
    this.schema = { name: 'schema', check: () => schema.check() };
  }
}
