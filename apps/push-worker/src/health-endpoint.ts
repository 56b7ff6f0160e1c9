import type { Server } from 'node:http';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type HealthCheck, startHealthServer } from '#core';
import { Database } from '#database';
import { Lanes } from '#push';
import { JobQueues } from '#queue';

/** DI token: where the health of this program can be asked. */
export const HEALTH_ADDRESS = Symbol('HealthAddress');

/** Says over HTTP whether this worker can work: its stores, and the gate of each of its transports. */
@Injectable()
export class HealthEndpoint implements OnApplicationBootstrap, OnApplicationShutdown {
  #server: Server | undefined;

  constructor(
    @Inject(HEALTH_ADDRESS)
    private readonly address: { readonly host: string; readonly port: number },
    private readonly database: Database,
    private readonly queues: JobQueues,
    private readonly lanes: Lanes,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.#server = await startHealthServer(this.address, [
      { name: 'postgresql', check: () => this.database.ping() },
      { name: 'redis', check: () => this.queues.ping() },
      ...this.#gateChecks(),
    ]);
  }

  onApplicationShutdown(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  #gateChecks(): HealthCheck[] {
    return [...this.lanes.all()].map(([platform, { gate }]) => ({
      name: platform,
      check: () =>
        gate.fault === undefined ? Promise.resolve() : Promise.reject(new Error(gate.fault)),
    }));
  }
}
