import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { type OnSchemaReady, PeriodicTask } from '#platform/core';
import { RealmUploads } from './realm-uploads.js';

/** How soon the service learns of a new, renamed or deactivated organisation. */
const PERIOD_MS = 5000;

/** Uploads the organisations while a worker of a server that relays runs. Workers share the uploads. */
@Injectable()
export class RealmUploadTask implements OnSchemaReady, OnModuleDestroy {
  readonly #task: PeriodicTask;

  constructor(private readonly uploads: RealmUploads) {
    this.#task = new PeriodicTask(PERIOD_MS, () => this.uploads.run(), {
      failure: 'The organisations were not uploaded',
      logger: new Logger(RealmUploadTask.name),
    });
  }

  /** The first upload is at once; a failure is repeated. */
  onSchemaReady(): void {
    void this.#begin();
    this.#task.start();
  }

  onModuleDestroy(): void {
    // The shutdown does not wait for an upload: another worker repeats it.
    void this.#task.stop();
  }

  async #begin(): Promise<void> {
    try {
      await this.uploads.requestUploadAtStart();
      await this.uploads.run();
    } catch (error) {
      new Logger(RealmUploadTask.name).warn(
        `The first upload failed and is retried: ${String(error)}`,
      );
    }
  }
}
