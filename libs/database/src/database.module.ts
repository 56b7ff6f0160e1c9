import { type DynamicModule, Module } from '@nestjs/common';
import { Database } from './database.js';

@Module({})
export class DatabaseModule {
  /** Connects lazily: a program starts, and says that it is not ready, while PostgreSQL is away. */
  static connect(options: { readonly url: string; readonly poolSize: number }): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [{ provide: Database, useFactory: () => new Database(options) }],
      exports: [Database],
    };
  }
}
