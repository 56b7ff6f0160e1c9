import { type DynamicModule, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
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
      providers: [
        { provide: PresenceClient, useFactory: () => new PresenceClient(options) },
        { provide: PRESENCE_SERVICE, useExisting: PresenceClient },
        PresenceClientCloser,
      ],
      exports: [PRESENCE_SERVICE, PresenceClient],
    };
  }
}
