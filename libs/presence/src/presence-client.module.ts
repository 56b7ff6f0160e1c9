import { type DynamicModule, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics, TelemetryModule } from '#telemetry';
import { observeCalls } from './observe/observe-calls.js';
import { PresenceClient, type PresenceClientOptions } from './rpc/presence-client.js';

/** DI token of the PresenceService that a gateway uses. */
export const PRESENCE_SERVICE = Symbol('PresenceService');

/** After the last HTTP request has been answered. */
@Injectable()
class PresenceClientCloser implements OnApplicationShutdown {
  constructor(private readonly client: PresenceClient) {}

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}

/** The gateway's way to the presence program. */
@Module({})
export class PresenceClientModule {
  /** Starts also while no presence process can be reached. */
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
        PresenceClientCloser,
      ],
      exports: [PRESENCE_SERVICE, PresenceClient],
    };
  }
}
