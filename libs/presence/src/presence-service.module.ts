import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Database } from '#database';
import { Metrics, TelemetryModule } from '#telemetry';
import { observePresence } from './observe/observe-presence.js';
import { PresenceRuntime, type PresenceRuntimeOptions } from './presence-runtime.js';
import { PresenceServer } from './rpc/presence-server.js';

export interface PresenceServiceOptions extends PresenceRuntimeOptions {
  readonly rpc: { readonly host: string; readonly port: number };
  /** That of the gateways; null where only programs of this host can connect. */
  readonly secret: Buffer | null;
}

/** Answers what is under way, then brings the state to safety, before connections are closed. */
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

/** The presence program's own: the service and the socket that gateways reach it by. */
@Module({})
export class PresenceServiceModule {
  /** Needs DatabaseModule. Listens when the application has started; that fails if it cannot. */
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
            return new PresenceLifecycle(runtime, server, () => server.listen(options.rpc));
          },
          inject: [PresenceRuntime],
        },
      ],
      exports: [PresenceRuntime],
    };
  }
}
