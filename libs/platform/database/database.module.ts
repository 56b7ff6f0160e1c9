import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { storePlace } from '#platform/config';
import { Database } from './database.js';
import type { DatabaseOptions } from './open-pool.js';
import { DatabaseHealth } from './database-health.js';
import { SchemaHooks } from './schema-hooks.js';

@Module({})
export class DatabaseModule {
  /** Connects lazily, so that a program starts, but is not ready, while PostgreSQL is down. */
  static connect(options: DatabaseOptions): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: [DiscoveryModule],
      providers: [
        { provide: Database, useFactory: () => new Database(options) },
        {
          provide: DatabaseHealth,
          inject: [Database],
          useFactory: (database: Database) =>
            new DatabaseHealth(database, storePlace([options.url], 'DATABASE_URL')),
        },
        SchemaHooks,
      ],
      exports: [Database, DatabaseHealth],
    };
  }
}
