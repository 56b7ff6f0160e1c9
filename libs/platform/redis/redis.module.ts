import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Redis } from 'ioredis';
import { TelemetryModule } from '#platform/telemetry';
import { PubSub } from './pub-sub.js';
import { closeRedis, openRedis } from './redis.js';
import { UnreadableMessages } from './unreadable-messages.js';

/** DI token of the program's connection for short commands; commands of one tick share a round trip. */
export const REDIS = Symbol('Redis');

@Injectable()
class RedisCloser implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  async onApplicationShutdown(): Promise<void> {
    await closeRedis(this.redis);
  }
}

/** Provides REDIS, PubSub and UnreadableMessages globally. */
@Module({})
export class RedisModule {
  static connect(url: string): DynamicModule {
    return {
      module: RedisModule,
      global: true,
      imports: [TelemetryModule],
      providers: [
        {
          provide: REDIS,
          useFactory: () => openRedis(url, 'commands', { enableAutoPipelining: true }),
        },
        RedisCloser,
        {
          provide: PubSub,
          inject: [REDIS, UnreadableMessages],
          useFactory: (redis: Redis, unreadable: UnreadableMessages) =>
            new PubSub(redis, unreadable),
        },
        UnreadableMessages,
      ],
      exports: [PubSub, REDIS, UnreadableMessages],
    };
  }
}
