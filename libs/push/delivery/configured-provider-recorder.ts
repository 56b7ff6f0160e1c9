import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { PeriodicTask } from '#platform/core';
import { PushActivityStore } from '#push/observability';
import { UnconfiguredTransport } from '#push/providers';
import { PUSH_TRANSPORTS, type PushTransports } from './platform-pools.js';

/** Often, because Redis may lose the record. */
const REPEAT_MS = 10_000;

/** Records that this worker has credentials for a provider, so that gateways can inform clients. */
@Injectable()
export class ConfiguredProviderRecorder implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #isConfigured: boolean;
  readonly #task = new PeriodicTask(REPEAT_MS, () => this.record());

  constructor(
    private readonly store: PushActivityStore,
    @Inject(PUSH_TRANSPORTS) transports: PushTransports,
  ) {
    this.#isConfigured = Object.values(transports).some(
      (transport) => !(transport instanceof UnconfiguredTransport),
    );
  }

  onApplicationBootstrap(): void {
    if (!this.#isConfigured) return;
    void this.record();
    this.#task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#task.stop();
  }

  /** Never rejects: a record that fails is followed by the next. */
  async record(): Promise<void> {
    await this.store.noteProvider().catch(() => undefined);
  }
}
