import type { Server } from 'node:http';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { ServerAddress } from '#platform/config';
import { type HealthCheck, rethrowListenError, startHealthServer } from '#platform/core';
import { DatabaseHealth } from '#platform/database';
import { Metrics, observeProgram, observeTables } from '#platform/telemetry';
import { HEALTH_CHECKS } from './health.controller.js';

/** DI token of the address of the metrics endpoint; null: no endpoint. */
export const METRICS_ADDRESS = Symbol('MetricsAddress');

/** Serves the metrics and the complete health report on a port that is not public. */
@Injectable()
export class MetricsEndpoint implements OnApplicationBootstrap, OnApplicationShutdown {
  #server: Server | undefined;

  constructor(
    @Inject(METRICS_ADDRESS)
    private readonly address: ServerAddress | null,
    @Inject(HEALTH_CHECKS) private readonly checks: readonly HealthCheck[],
    private readonly metrics: Metrics,
    private readonly database: DatabaseHealth,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.address === null) return;
    observeProgram(this.metrics, { checks: this.checks, pool: this.database.pool });
    observeTables(this.metrics, this.database.tables);
    this.#server = await startHealthServer(this.address, this.checks, this.metrics).catch(
      rethrowListenError({ host: 'GATEWAY_METRICS_HOST', port: 'GATEWAY_METRICS_PORT' }),
    );
  }

  onApplicationShutdown(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }
}
