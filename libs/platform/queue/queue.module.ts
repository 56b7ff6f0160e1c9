import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { openRedisOrCluster, type RedisOrCluster } from '#platform/redis';
import { queueTelemetry } from '#platform/telemetry';
import type { JobDeclaration } from './job-declaration.js';
import { JobQueues, QUEUES, type Queues } from './job-queues.js';
import {
  QUEUE_OPTIONS,
  QUEUE_PREFIX,
  QUEUE_REDIS,
  type QueueOptions,
  queueKeyPrefix,
} from './queue-options.js';

/** Only people read the event stream of BullMQ. */
const KEPT_EVENTS = 1000;

@Module({})
class QueueConnectionModule {
  static connect(urls: readonly string[], options: QueueOptions): DynamicModule {
    return {
      module: QueueConnectionModule,
      global: true,
      providers: [
        { provide: QUEUE_OPTIONS, useValue: options },
        {
          provide: QUEUE_REDIS,
          useFactory: () => openRedisOrCluster(urls, 'queues'),
        },
      ],
      exports: [QUEUE_OPTIONS, QUEUE_REDIS],
    };
  }
}

/** Provides the JobQueues of declared jobs globally. */
@Module({})
export class QueueModule {
  /** `urls` are those of one server, or of nodes of a cluster. */
  static connect(
    urls: readonly string[],
    { queues, leastPriority }: Pick<JobDeclaration, 'queues' | 'leastPriority'>,
    prefix: string = QUEUE_PREFIX,
  ): DynamicModule {
    const names = Object.keys(queues);
    return {
      module: QueueModule,
      global: true,
      imports: [
        QueueConnectionModule.connect(urls, { prefix }),
        BullModule.forRootAsync({
          inject: [QUEUE_REDIS],
          useFactory: (connection: RedisOrCluster) => ({
            connection,
            ...queueTelemetry(),
            streams: { events: { maxLen: KEPT_EVENTS } },
            // Otherwise a queue that was created during an outage would block its commands.
            skipWaitingForReady: true,
            skipVersionCheck: true,
          }),
        }),
        BullModule.registerQueue(
          ...names.map((name) => ({ name, prefix: queueKeyPrefix(prefix, name) })),
        ),
      ],
      providers: [
        {
          provide: QUEUES,
          inject: names.map((name) => getQueueToken(name)),
          useFactory: (...opened: Queue[]): Queues =>
            Object.fromEntries(opened.map((queue) => [queue.name, queue])),
        },
        {
          provide: JobQueues,
          inject: [QUEUES, QUEUE_REDIS, QUEUE_OPTIONS],
          useFactory: (opened: Queues, redis: RedisOrCluster, queueOptions: QueueOptions) =>
            new JobQueues(opened, redis, { ...queueOptions, leastPriority }),
        },
      ],
      exports: [JobQueues, QUEUES],
    };
  }
}
