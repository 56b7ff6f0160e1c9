import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { CLOCK, type Clock, PeriodicTask } from '#platform/core';
import { RemoteCollection } from '../remote/remote-collection.js';
import { CollectionLeaseRepository } from './collection-lease.repository.js';
import { OwnCollection } from './own-collection.js';
import { nextHour } from './token-ageing.rules.js';

/** How often a worker looks whether a collection is due. */
const PERIOD_MS = 300_000;

/** Removes expired and old tokens once an hour, in one worker of all. */
@Injectable()
export class TokenCollection implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #task = new PeriodicTask(PERIOD_MS, () => this.run(), {
    failure: 'A collection of tokens was interrupted',
    logger: new Logger(TokenCollection.name),
  });

  constructor(
    private readonly lease: CollectionLeaseRepository,
    private readonly own: OwnCollection,
    private readonly remote: RemoteCollection,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.#task.start();
  }

  onModuleDestroy(): void {
    // The shutdown does not wait: a later collection does the rest.
    void this.#task.stop();
  }

  /** Collects if no worker has collected in this hour. Rejects when a store is down. */
  async run(): Promise<void> {
    const now = this.clock();
    if (!(await this.lease.claim(new Date(now), new Date(nextHour(now))))) return;
    await this.own.collect();
    await this.remote.collect();
  }
}
