import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { type OnSchemaReady, PeriodicTask } from '#platform/core';
import { CleanupLeaseRepository } from './cleanup-lease.repository.js';

/** How often a worker looks whether a pass is due. */
const PERIOD_MS = 300_000;

/** Removes stale tokens of one kind. */
export interface TokenCleanup {
  /** One pass; `now` is the time of the database in UNIX milliseconds. Rejects when a store is down. */
  removeStale(now: number): Promise<void>;
}

/** DI token of the TokenCleanups of a worker, in their order. */
export const TOKEN_CLEANUPS = Symbol('TokenCleanups');

/** Removes expired and old tokens once an hour, in one worker of all. */
@Injectable()
export class StaleTokenCleanup implements OnSchemaReady, OnModuleDestroy {
  readonly #task = new PeriodicTask(PERIOD_MS, () => this.run(), {
    failure: 'A cleanup of stale tokens was interrupted',
    logger: new Logger(StaleTokenCleanup.name),
  });

  constructor(
    private readonly lease: CleanupLeaseRepository,
    @Inject(TOKEN_CLEANUPS) private readonly cleanups: readonly TokenCleanup[],
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
    for (const cleanup of this.cleanups) await cleanup.removeStale(now);
  }
}
