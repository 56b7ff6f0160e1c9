import { type DynamicModule, Module } from '@nestjs/common';
import { PRESENCE_VISIBILITY } from '#directory/settings';
import { Metrics, TelemetryModule } from '#platform/telemetry';
import { observeCalls } from './client-metrics.js';
import { PresenceClient, type PresenceClientOptions } from './presence-client.js';

/** DI token of the gateway's PresenceService. */
export const PRESENCE_SERVICE = Symbol('PresenceService');

/** The gateway's client of the presence program. */
@Module({})
export class PresenceClientModule {
  /** The gateway also starts while no presence process can be reached. */
  static connect(options: PresenceClientOptions): DynamicModule {
    return {
      module: PresenceClientModule,
      global: true,
      imports: [TelemetryModule],
      providers: [
        {
          provide: PresenceClient,
          useFactory: (metrics: Metrics) => {
            const client = new PresenceClient(options);
            observeCalls(metrics, client);
            return client;
          },
          inject: [Metrics],
        },
        { provide: PRESENCE_SERVICE, useExisting: PresenceClient },
        { provide: PRESENCE_VISIBILITY, useExisting: PresenceClient },
      ],
      exports: [PRESENCE_SERVICE, PRESENCE_VISIBILITY, PresenceClient],
    };
  }
}
