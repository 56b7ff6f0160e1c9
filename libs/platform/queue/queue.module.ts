import { BullModule, getQueueToken } from '@nestjs/bullmq';
import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { Queue } from 'bullmq';
import { QUEUE_PREFIX, queueNames } from '#platform/contracts';
import {
  closeRedis,
  openRedis,
  openRedisOrCluster,
  type Redis,
  type RedisOrCluster,
} from '#platform/redis';
import { queueTelemetry, TelemetryModule } from '#platform/telemetry';
import { JobQueues, QUEUES, type Queues } from './job-queues.js';
import { PubSub } from './pub-sub.js';
import {
  PUB_SUB_REDIS,
  QUEUE_OPTIONS,
  QUEUE_REDIS,
  type QueueOptions,
  queueKeyPrefix,
} from './queue-options.js';
import { UnreadableMessages } from './unreadable-messages.js';

/** Only people read the event stream of BullMQ. */
const KEPT_EVENTS = 1000;

@Injectable()
class PubSubCloser implements OnApplicationShutdown {
  constructor(@Inject(PUB_SUB_REDIS) private readonly redis: Redis) {}

  async onApplicationShutdown(): Promise<void> {
    await closeRedis(this.redis);
  }
}

@Module({})
class QueueConnectionModule {
  static connect(options: QueueOptions, urls: readonly string[]): DynamicModule {
    const isShared = urls.length === 1 && urls[0] === options.url;
    return {
      module: QueueConnectionModule,
      global: true,
      providers: [
        { provide: QUEUE_OPTIONS, useValue: options },
        {
          provide: QUEUE_REDIS,
          useFactory: () => openRedisOrCluster(urls, 'queues'),
        },
        {
          provide: PUB_SUB_REDIS,
          inject: [QUEUE_REDIS],
          useFactory: (queueRedis: RedisOrCluster) =>
            isShared
              ? queueRedis
              : openRedis(options.url, 'messages', { enableAutoPipelining: true }),
        },
        PubSubCloser,
      ],
      exports: [PUB_SUB_REDIS, QUEUE_OPTIONS, QUEUE_REDIS],
    };
  }
}

interface ConnectOptions {
  /** The Redis of PubSub. */
  readonly url: string;
  /** The Redis of the queues: one server, or nodes of a cluster. By default that of PubSub. */
  readonly queueUrls?: readonly string[] | undefined;
  readonly prefix?: string;
}

/** Provides JobQueues and PubSub globally. */
@Module({})
export class QueueModule {
  static connect({ url, queueUrls = [url], prefix = QUEUE_PREFIX }: ConnectOptions): DynamicModule {
    return {
      module: QueueModule,
      global: true,
      imports: [
        TelemetryModule,
        QueueConnectionModule.connect({ url, prefix }, queueUrls),
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
          useFactory: (queues: Queues, redis: RedisOrCluster, queueOptions: QueueOptions) =>
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
