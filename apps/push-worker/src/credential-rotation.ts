import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { PeriodicTask } from '#platform/core';
import { Metrics } from '#platform/telemetry';
import type { ProviderTransports } from './open-transports.js';

/** DI token of the ProviderTransports. */
export const PROVIDER_TRANSPORTS = Symbol('ProviderTransports');

/**
 * The interval of reading the files. Polling is necessary, because the replacement of a mounted secret does not always cause a
 * file event or a new modification time.
 */
const POLL_MS = 5000;

/** Applies replaced credentials without a restart. */
@Injectable()
export class CredentialRotation implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger('Credentials');
  readonly #polling = new PeriodicTask(POLL_MS, () => this.#reloadAll(), {
    failure: 'The credentials were not all read again',
  });

  constructor(
    @Inject(PROVIDER_TRANSPORTS) private readonly opened: ProviderTransports,
    metrics: Metrics,
  ) {
    metrics.gauge(
      {
        name: 'carillon_push_credential_expires_timestamp_seconds',
        help: 'When a certificate expires, in UNIX seconds; keys do not expire.',
        labels: ['credential'],
      },
      () =>
        opened.credentials
          .flatMap(({ expiries }) => expiries)
          .map(({ name, expiresAt }) => ({
            labels: { credential: name },
            value: expiresAt / 1000,
          })),
    );
  }

  onApplicationBootstrap(): void {
    for (const warning of this.#warnings()) this.#logger.warn(warning);
    this.#polling.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#polling.stop();
    await this.opened.close();
  }

  /** Reads the files immediately; called on SIGHUP. */
  async reload(): Promise<void> {
    this.#logger.log('Reading the files with credentials');
    await this.#reloadAll({ reportsAtOnce: true });
  }

  /** A health check: rejects with the warnings for the operator. */
  async check(): Promise<void> {
    const warnings = this.#warnings();
    if (warnings.length > 0) throw new Error(warnings.join('; '));
  }

  #warnings(): string[] {
    return this.opened.credentials.flatMap(({ warnings }) => warnings);
  }

  async #reloadAll(options?: { readonly reportsAtOnce: boolean }): Promise<void> {
    await Promise.all(this.opened.credentials.map((watched) => watched.reload(options)));
  }
}
