import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { queueNames } from '#platform/contracts';
import { openRedis, type Redis } from '#platform/redis';
import { queueTelemetry, TelemetryModule } from '#platform/telemetry';
import { JobQueues, QUEUES, type Queues } from './job-queues.js';
import { PubSub } from './pub-sub.js';
import {
  QUEUE_OPTIONS,
  QUEUE_PREFIX,
  QUEUE_REDIS,
  type QueueOptions,
  queueKeyPrefix,
} from './queue-options.js';
import { UnreadableMessages } from './unreadable-messages.js';

/** Only people read the event stream of BullMQ. */
const KEPT_EVENTS = 1000;

@Module({})
class QueueConnectionModule {
  static connect(options: QueueOptions): DynamicModule {
    return {
      module: QueueConnectionModule,
      global: true,
      providers: [
        { provide: QUEUE_OPTIONS, useValue: options },
        {
          provide: QUEUE_REDIS,
          useFactory: () => openRedis(options.url, 'queues', { enableAutoPipelining: true }),
        },
      ],
      exports: [QUEUE_OPTIONS, QUEUE_REDIS],
    };
  }
}

interface ConnectOptions {
  readonly url: string;
  readonly prefix?: string;
}

/** Provides JobQueues and PubSub globally. */
@Module({})
export class QueueModule {
  static connect({ url, prefix = QUEUE_PREFIX }: ConnectOptions): DynamicModule {
    return {
      module: QueueModule,
      global: true,
      imports: [
        TelemetryModule,
        QueueConnectionModule.connect({ url, prefix }),
        BullModule.forRootAsync({
          inject: [QUEUE_REDIS],
          useFactory: (connection: Redis) => ({
            connection,
            ...queueTelemetry(),
            streams: { events: { maxLen: KEPT_EVENTS } },
            // Otherwise a queue that was created during an outage would block its commands.
            skipWaitingForReady: true,
            skipVersionCheck: true,
          }),
        }),
        BullModule.registerQueue(
          ...queueNames.map((name) => ({ name, prefix: queueKeyPrefix(prefix, name) })),
        ),
      ],
      providers: [
        {
          provide: QUEUES,
          inject: queueNames.map((name) => getQueueToken(name)),
          useFactory: (...queues: Queue[]) => byName(queues),
        },
        {
          provide: JobQueues,
          inject: [QUEUES, QUEUE_REDIS, QUEUE_OPTIONS],
          useFactory: (queues: Queues, redis: Redis, queueOptions: QueueOptions) =>
            new JobQueues(queues, redis, queueOptions),
        },
        PubSub,
        UnreadableMessages,
      ],
      exports: [JobQueues, PubSub, QUEUES, UnreadableMessages],
    };
  }
}

const byName = (queues: readonly Queue[]) =>
  // The queues are in the order of the names.
  Object.fromEntries(queueNames.map((name, index) => [name, queues[index]])) as Queues;
