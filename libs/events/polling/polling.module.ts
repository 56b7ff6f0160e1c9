import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { REDIS, type Redis, Subscriber } from '#platform/redis';
import { EventLogModule } from '#events/log';
import { QueuesModule } from '#events/queues';
import { EventFollower } from './event-follower.js';
import { HeldPolls } from './held-polls.js';
import { PollReplacements } from './poll-replacements.js';
import { PollingService } from './polling.service.js';
import { QueueEvents } from './queue-events.js';

@Injectable()
class SubscriberCloser implements OnApplicationShutdown {
  constructor(@Inject(Subscriber) private readonly subscriber: Subscriber) {}

  async onApplicationShutdown(): Promise<void> {
    await this.subscriber.close();
  }
}

/** The polls of event queues; needs DatabaseModule, RedisModule and LimitsModule. */
@Module({
  providers: [
    EventFollower,
    HeldPolls,
    PollingService,
    PollReplacements,
    QueueEvents,
    { provide: Subscriber, useFactory: (redis: Redis) => new Subscriber(redis), inject: [REDIS] },
    SubscriberCloser,
  ],
  exports: [HeldPolls, PollingService],
})
export class PollingModule {
  /** `imports` provide RateLimits. */
  static with({ imports }: Pick<DynamicModule, 'imports'>): DynamicModule {
    return {
      module: PollingModule,
      imports: [DiscoveryModule, EventLogModule, QueuesModule, ...(imports ?? [])],
    };
  }
}
