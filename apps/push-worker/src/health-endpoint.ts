import type { Server } from 'node:http';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type PushJobs, type Platform, platforms, type QueueName } from '#push/jobs';
import { type HealthCheck, rethrowListenError, startHealthServer } from '#platform/core';
import { DatabaseHealth } from '#platform/database';
import { JobQueues } from '#platform/queue';
import { Metrics, observeProgram } from '#platform/telemetry';
import { CircuitBreakers } from '#push/breakers';
import { CredentialRotation } from './credential-rotation.js';

/** The address of the health endpoint, and the queues that the worker serves. */
export interface HealthSettings {
  readonly host: string;
  readonly port: number;
  readonly queues: readonly QueueName[];
  /** Where the Redis of the queues is, for the log. */
  readonly queuesPlace: string;
  /** Further checks. */
  readonly checks: readonly HealthCheck[];
}

/** DI token of the HealthSettings. */
export const HEALTH_SETTINGS = Symbol('HealthSettings');

/** Serves the health of this worker (its stores and circuit breakers) and its metrics over HTTP. */
@Injectable()
export class HealthEndpoint implements OnApplicationBootstrap, OnApplicationShutdown {
  #server: Server | undefined;

  constructor(
    @Inject(HEALTH_SETTINGS) private readonly settings: HealthSettings,
    private readonly database: DatabaseHealth,
    private readonly queues: JobQueues<PushJobs>,
    private readonly breakers: CircuitBreakers,
    private readonly metrics: Metrics,
    private readonly credentials: CredentialRotation,
  ) {}

  /** The checks of readiness. */
  get checks(): readonly HealthCheck[] {
    return [
      this.database.postgresql,
      this.database.writes,
      this.database.schema,
      {
        name: 'redis',
        place: this.settings.queuesPlace,
        check: () => this.queues.checkWrites(this.settings.queues),
      },
      ...this.#breakerChecks(),
      ...this.settings.checks,
      { name: 'credentials', isWarning: true, check: () => this.credentials.check() },
    ];
  }

  async onApplicationBootstrap(): Promise<void> {
    const { checks } = this;
    observeProgram(this.metrics, { checks, pool: this.database.pool });
    this.#server = await startHealthServer(this.settings, checks, this.metrics).catch(
      rethrowListenError({ host: 'PUSH_HEALTH_HOST', port: 'PUSH_HEALTH_PORT' }),
    );
  }

  onApplicationShutdown(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  #breakerChecks(): HealthCheck[] {
    return platforms.map((platform) => ({
      name: platform,
      check: () => this.#checkBreakers(platform),
    }));
  }

  async #checkBreakers(platform: Platform): Promise<void> {
    const faults = this.breakers.faultsOf(platform);
    if (faults.length > 0) throw new Error(faults.join('; '));
  }
}
