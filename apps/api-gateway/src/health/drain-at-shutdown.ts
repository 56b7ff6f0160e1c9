import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Drain } from '#platform/core';

/** Delays the shutdown, so that load balancers can take the gateway out of rotation first. */
@Injectable()
export class DrainAtShutdown implements BeforeApplicationShutdown {
  constructor(private readonly drain: Drain) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.drain.run();
  }
}
