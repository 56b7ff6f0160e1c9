import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Redis } from 'ioredis';
import { closeRedis, openRedis } from './redis.js';

/** DI token of the program's connection for short commands; commands of one tick share a round trip. */
export const REDIS = Symbol('Redis');

@Injectable()
class RedisCloser implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  async onApplicationShutdown(): Promise<void> {
    await closeRedis(this.redis);
  }
}

@Module({})
export class RedisModule {
  static connect(url: string): DynamicModule {
    return {
      module: RedisModule,
      global: true,
      providers: [
        {
          provide: REDIS,
          useFactory: () => openRedis(url, 'commands', { enableAutoPipelining: true }),
        },
        RedisCloser,
      ],
      exports: [REDIS],
    };
  }
}
