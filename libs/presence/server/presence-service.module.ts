import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { ServerAddress } from '#platform/config';
import { Database } from '#platform/database';
import { Metrics, TelemetryModule } from '#platform/telemetry';
import { observePresence } from './observe-presence.js';
import { PresenceRuntime, type PresenceRuntimeOptions } from './presence-runtime.js';
import { PresenceServer } from './presence-server.js';

interface PresenceServiceOptions extends PresenceRuntimeOptions {
  readonly rpc: ServerAddress;
  /** The secret of the gateways; null if only programs of this host can connect. */
  readonly secret: Buffer | null;
}

/** On shutdown: answers the requests in flight, then writes the pending state, then closes the connections. */
@Injectable()
class PresenceLifecycle
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  constructor(
    private readonly runtime: PresenceRuntime,
    private readonly server: PresenceServer,
    private readonly listen: () => Promise<number>,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.runtime.start();
    await this.listen();
  }

  async onModuleDestroy(): Promise<void> {
    await this.server.close();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.runtime.stop();
  }
}

/** The presence service and the socket that gateways connect to. */
@Module({})
export class PresenceServiceModule {
  /** Needs DatabaseModule. Listens when the application starts; otherwise the start fails. */
  static serve(options: PresenceServiceOptions): DynamicModule {
    return {
      module: PresenceServiceModule,
      imports: [TelemetryModule],
      providers: [
        {
          provide: PresenceRuntime,
          useFactory: (database: Database, metrics: Metrics) => {
            const runtime = new PresenceRuntime(database, options);
            observePresence(metrics, runtime);
            return runtime;
          },
          inject: [Database, Metrics],
        },
        {
          provide: PresenceLifecycle,
          useFactory: (runtime: PresenceRuntime) => {
            const server = new PresenceServer(runtime.service, runtime.counters, options.secret);
            runtime.onOnline((realmId) => server.notifyOnline(realmId));
            return new PresenceLifecycle(runtime, server, () => server.listen(options.rpc));
          },
          inject: [PresenceRuntime],
        },
      ],
      exports: [PresenceRuntime],
    };
  }
}
