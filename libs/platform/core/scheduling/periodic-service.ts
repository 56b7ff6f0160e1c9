import type { OnApplicationShutdown } from '@nestjs/common';
import type { OnSchemaReady } from './on-schema-ready.js';
import type { PeriodicTask } from './periodic-task.js';

/**
 * A provider whose task runs from the moment that the database has the schema of this release to the shutdown, which waits
 * for the current run.
 */
export abstract class PeriodicService implements OnSchemaReady, OnApplicationShutdown {
  protected abstract readonly task: Pick<PeriodicTask, 'start' | 'stop'>;

  onSchemaReady(): void {
    this.task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }
}
