import type { Server } from 'node:http';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type HealthCheck, listenFault, startHealthServer } from '#core';
import { Metrics } from '#telemetry';
import { HEALTH_CHECKS } from './health.controller.js';

/** DI token: where the metrics of the gateway can be asked; null for nowhere. */
export const METRICS_ADDRESS = Symbol('MetricsAddress');

/** Tells the gateway's metrics, and its health again, on a port that the public does not reach. */
@Injectable()
export class MetricsEndpoint implements OnApplicationBootstrap, OnApplicationShutdown {
  #server: Server | undefined;

  constructor(
    @Inject(METRICS_ADDRESS)
    private readonly address: { readonly host: string; readonly port: number } | null,
    @Inject(HEALTH_CHECKS) private readonly checks: readonly HealthCheck[],
    private readonly metrics: Metrics,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.address === null) return;
    this.#server = await startHealthServer(this.address, this.checks, this.metrics).catch(
      listenFault('GATEWAY_METRICS_HOST', 'GATEWAY_METRICS_PORT'),
    );
  }

  onApplicationShutdown(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }
}
