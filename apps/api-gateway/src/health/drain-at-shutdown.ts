import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HeldPolls } from '#events/polling';
import { Drain } from '#platform/core';

/**
 * Delays the shutdown, so that load balancers can take the gateway out of rotation first. Then it answers the held polls:
 * their clients continue at another gateway.
 */
@Injectable()
export class DrainAtShutdown implements BeforeApplicationShutdown {
  constructor(
    private readonly drain: Drain,
    private readonly polls: HeldPolls,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.drain.run();
    this.polls.endAll();
  }
}
