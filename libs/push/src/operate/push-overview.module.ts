import { type DynamicModule, Module } from '@nestjs/common';
import { CLOCK, systemClock } from '#core';
import { openRedis, untilReady } from '#redis';
import { PUSH_ACTIVITY_PLACE, PushActivityStore } from '../observe/push-activity.store.js';
import { PushBacklog } from '../observe/push-backlog.js';
import { PushBacklogRepository } from '../observe/push-backlog.repository.js';
import { PushOverview } from '../observe/push-overview.js';
import { LookAtPipeline } from '../overview/look-at-pipeline.js';
import { LedgerOperatorModule } from './ledger-operator.module.js';

/** A connection that has just been opened refuses every command until it is there. */
const READY_DEADLINE_MS = 500;

/** Lets a program look over the pipeline that takes no part in it; needs DatabaseModule and QueueModule. */
@Module({})
export class PushOverviewModule {
  static with(options: {
    readonly redisUrl: string;
    /** That of the queues. */
    readonly prefix: string;
  }): DynamicModule {
    const { redisUrl, prefix } = options;
    return {
      module: PushOverviewModule,
      imports: [LedgerOperatorModule],
      providers: [
        LookAtPipeline,
        PushActivityStore,
        PushBacklog,
        PushBacklogRepository,
        PushOverview,
        { provide: CLOCK, useValue: systemClock },
        {
          provide: PUSH_ACTIVITY_PLACE,
          useFactory: async () => {
            const redis = openRedis(redisUrl, 'push-overview');
            // Whoever looks hears then that Redis is away.
            await untilReady(redis, READY_DEADLINE_MS).catch(() => undefined);
            return { redis, prefix };
          },
        },
      ],
      exports: [LookAtPipeline],
    };
  }
}
