import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventLogModule } from '#events/log';
import { QueuesModule } from '#events/queues';
import { EventStatusModule } from '#events/status';
import { EventFollower } from './event-follower.js';
import { EventsCleaner } from './events-cleaner.js';
import { GatewayReports } from './gateway-reports.js';
import { HeldPolls } from './held-polls.js';
import { KnownHeads } from './known-heads.js';
import { PollMetrics } from './poll-metrics.js';
import { PollingService } from './polling.service.js';
import { QueueEvents } from './queue-events.js';
import { QueuePolls } from './queue-polls.js';
import { RecentEphemeralEvents } from './recent-ephemeral-events.js';
import { TransientAnswers } from './transient-answers.js';

/** The polls of event queues; needs DatabaseModule and RedisModule. */
@Module({
  providers: [
    EventFollower,
    EventsCleaner,
    GatewayReports,
    HeldPolls,
    KnownHeads,
    PollMetrics,
    PollingService,
    QueueEvents,
    QueuePolls,
    RecentEphemeralEvents,
    TransientAnswers,
  ],
  exports: [HeldPolls, PollMetrics, PollingService, QueuesModule],
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
