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
import { EventStatusModule } from '#events/status';
import { AnnouncedEvents } from './announced-events.js';
import { EventFollower } from './event-follower.js';
import { EventsCleaner } from './events-cleaner.js';
import { GatewayReports } from './gateway-reports.js';
import { HeldPolls } from './held-polls.js';
import { KnownHeads } from './known-heads.js';
import { PollMetrics } from './poll-metrics.js';
import { PollReplacements } from './poll-replacements.js';
import { PollingService } from './polling.service.js';
import { QueueEvents } from './queue-events.js';
import { QueuePolls } from './queue-polls.js';
import { TransientAnswers } from './transient-answers.js';

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
    AnnouncedEvents,
    EventFollower,
    EventsCleaner,
    GatewayReports,
    HeldPolls,
    KnownHeads,
    PollMetrics,
    PollingService,
    PollReplacements,
    QueueEvents,
    QueuePolls,
    { provide: Subscriber, useFactory: (redis: Redis) => new Subscriber(redis), inject: [REDIS] },
    SubscriberCloser,
    TransientAnswers,
  ],
  exports: [HeldPolls, PollMetrics, PollingService],
})
export class PollingModule {
  /** `imports` provide RateLimits. */
  static with({ imports }: Pick<DynamicModule, 'imports'>): DynamicModule {
    return {
      module: PollingModule,
      imports: [
        DiscoveryModule,
        EventLogModule,
        EventStatusModule,
        QueuesModule,
        ...(imports ?? []),
      ],
    };
  }
}
