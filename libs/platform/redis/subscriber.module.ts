import { Module } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { REDIS } from './redis.module.js';
import { Subscriber } from './subscriber.js';

/** Provides the Subscriber of the program; needs RedisModule. */
@Module({
  providers: [
    { provide: Subscriber, useFactory: (redis: Redis) => new Subscriber(redis), inject: [REDIS] },
  ],
  exports: [Subscriber],
})
export class SubscriberModule {}
