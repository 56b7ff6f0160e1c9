import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { type OnSchemaReady, PeriodicTask } from '#platform/core';
import { RemoteTokenCleanup } from '../remote/remote-token-cleanup.js';
import { CleanupLeaseRepository } from './cleanup-lease.repository.js';
import { OwnTokenCleanup } from './own-token-cleanup.js';

/** How often a worker looks whether a pass is due. */
const PERIOD_MS = 300_000;

/** Removes expired and old tokens once an hour, in one worker of all. */
@Injectable()
export class StaleTokenCleanup implements OnSchemaReady, OnModuleDestroy {
  readonly #task = new PeriodicTask(PERIOD_MS, () => this.run(), {
    failure: 'A cleanup of stale tokens was interrupted',
    logger: new Logger(StaleTokenCleanup.name),
  });

  constructor(
    private readonly lease: CleanupLeaseRepository,
    private readonly own: OwnTokenCleanup,
    private readonly remote: RemoteTokenCleanup,
  ) {}

  onSchemaReady(): void {
    this.#task.start();
  }

  onModuleDestroy(): void {
    // The shutdown does not wait: a later pass does the rest.
    void this.#task.stop();
  }

  /** Makes a pass if no worker has made one in this hour. Rejects when a store is down. */
  async run(): Promise<void> {
    const now = await this.lease.claim();
    if (now === null) return;
    await this.own.removeStale(now);
    await this.remote.removeStale(now);
  }
}
