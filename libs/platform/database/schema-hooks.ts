import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { hasSchemaHook, type OnSchemaReady, PeriodicTask } from '#platform/core';
import { DatabaseHealth } from './database-health.js';

const CHECK_EVERY_MS = 1000;

/** Calls `onSchemaReady` of all providers once the database has the schema of this release. */
@Injectable()
export class SchemaHooks implements OnApplicationBootstrap, OnModuleDestroy {
  #hooks: readonly OnSchemaReady[] = [];
  readonly #task = new PeriodicTask(CHECK_EVERY_MS, () => this.#callOnce(), {
    failure: 'Background work waits for the schema of this release',
    logger: new Logger(SchemaHooks.name),
  });

  constructor(
    @Inject(DiscoveryService) private readonly discovery: Pick<DiscoveryService, 'getProviders'>,
    @Inject(DatabaseHealth) private readonly database: Pick<DatabaseHealth, 'schema'>,
  ) {}

  /** The program does not wait: it starts without PostgreSQL too. */
  onApplicationBootstrap(): void {
    const providers = this.discovery.getProviders().map(({ instance }): unknown => instance);
    this.#hooks = [...new Set(providers.filter(hasSchemaHook))];
    if (this.#hooks.length === 0) return;
    this.#callOnce().catch(() => this.#task.start());
  }

  onModuleDestroy(): void {
    void this.#task.stop();
  }

  async #callOnce(): Promise<void> {
    await this.database.schema.check();
    if (this.#task.isStopping) return;
    void this.#task.stop();
    for (const hook of this.#hooks) hook.onSchemaReady();
  }
}
