import type { Server } from 'node:http';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Platform, platforms } from '#contracts';
import { type HealthCheck, listenFault, startHealthServer } from '#core';
import { DatabaseHealth } from '#database';
import { Gates } from '#push';
import { JobQueues } from '#queue';
import { Metrics } from '#telemetry';
import { CredentialRotation } from './credential-rotation.js';

/** DI token: where the health of this program can be asked. */
export const HEALTH_ADDRESS = Symbol('HealthAddress');

/** Says over HTTP whether this worker can work (its stores, and the gate of each of its transports), and its metrics. */
@Injectable()
export class HealthEndpoint implements OnApplicationBootstrap, OnApplicationShutdown {
  #server: Server | undefined;

  constructor(
    @Inject(HEALTH_ADDRESS)
    private readonly address: { readonly host: string; readonly port: number },
    private readonly database: DatabaseHealth,
    private readonly queues: JobQueues,
    private readonly gates: Gates,
    private readonly metrics: Metrics,
    private readonly credentials: CredentialRotation,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const checks = [
      this.database.postgresql,
      this.database.schema,
      { name: 'redis', check: () => this.queues.ping() },
      ...this.#gateChecks(),
      { name: 'credentials', isWarning: true, check: () => this.credentials.check() },
    ];
    this.#server = await startHealthServer(this.address, checks, this.metrics).catch(
      listenFault('PUSH_HEALTH_HOST', 'PUSH_HEALTH_PORT'),
    );
  }

  onApplicationShutdown(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  #gateChecks(): HealthCheck[] {
    return platforms.map((platform) => ({
      name: platform,
      check: () => this.#checkGates(platform),
    }));
  }

  async #checkGates(platform: Platform): Promise<void> {
    const faults = this.gates.faultsOf(platform);
    if (faults.length > 0) throw new Error(faults.join('; '));
  }
}
