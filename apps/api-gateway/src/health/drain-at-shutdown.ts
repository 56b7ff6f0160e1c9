import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Drain } from '#core';

/** Keeps the port open for a while after the gateway was asked to stop. */
@Injectable()
export class DrainAtShutdown implements BeforeApplicationShutdown {
  constructor(private readonly drain: Drain) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.drain.run();
  }
}
