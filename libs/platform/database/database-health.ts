import type { HealthCheck } from '#platform/core';
import type { Database } from './database.js';
import { SchemaCheck } from './schema-check.js';

/** The readiness checks of the database. */
export class DatabaseHealth {
  readonly postgresql: HealthCheck;
  readonly schema: HealthCheck;

  constructor(database: Database) {
    const schema = new SchemaCheck(database);
    this.postgresql = { name: 'postgresql', check: () => database.ping() };
    this.schema = { name: 'schema', check: () => schema.check() };
  }
}
