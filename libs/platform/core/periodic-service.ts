import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { PeriodicTask } from './periodic-task.js';

/** A provider whose task runs from the start of its program to the shutdown, which waits for the current run. */
export abstract class PeriodicService implements OnApplicationBootstrap, OnApplicationShutdown {
  protected abstract readonly task: Pick<PeriodicTask, 'start' | 'stop'>;

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }
}
