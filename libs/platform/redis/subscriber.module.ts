import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { REDIS } from './redis.module.js';
import { Subscriber } from './subscriber.js';

@Injectable()
class SubscriberCloser implements OnApplicationShutdown {
  constructor(@Inject(Subscriber) private readonly subscriber: Subscriber) {}

  async onApplicationShutdown(): Promise<void> {
    await this.subscriber.close();
  }
}

/** Provides the Subscriber of the program; needs RedisModule. */
@Module({
  providers: [
    { provide: Subscriber, useFactory: (redis: Redis) => new Subscriber(redis), inject: [REDIS] },
    SubscriberCloser,
  ],
  exports: [Subscriber],
})
export class SubscriberModule {}
