import { Global, type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { platformQueue, platforms, pushJobs, pushLanes, type QueueName } from '#push/jobs';
import { DatabaseModule } from '#platform/database';
import { JobQueues, QueueModule } from '#platform/queue';
import { LimitsModule, RateLimitsModule } from '#platform/rate-limits';
import { RedisModule } from '#platform/redis';
import {
  ACCOUNT_CHANGE_PUBLISHER,
  DevicesModule,
  PushRegistrationModule,
  WebPushModule,
} from '#push/devices';
import type { FeedbackSettings, PushTransports } from '#push/delivery';
import { PushProducerModule } from '#push/notifications';
import { REVOCATION_DEADLINE_MS } from '#push/revocations';
import { PushServiceModule, type RelaySettings } from '#push/relay';
import { PushWorkerModule } from '../../apps/push-worker/src/push-worker.module.js';
import { eventually } from './eventually.js';
import { usualLimits } from './limits.js';

const CONCURRENCY = 8;
const TEST_WAIT_MS = 2000;
const TIME_TO_LIVE_MS = 600_000;
const LEASE_MS = 3000;
const DAY_MS = 86_400_000;
const PUSH_KEY_SECRET = Buffer.alloc(32, 'push');

/** What the programs of a push system share. */
export interface PushPrograms {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly queueRedisUrls: readonly string[];
  /** Of the keys of the queues. */
  readonly prefix: string;
  /** The push service of another server. */
  readonly relay: RelaySettings | null;
}

const NO_FEEDBACK: FeedbackSettings = { isLogged: false, webhook: null };

/** The timing of a worker, and what it tells operators. */
export interface WorkerTiming {
  readonly sweepMs?: number | undefined;
  readonly leaseMs?: number;
  readonly feedback?: FeedbackSettings;
}

/** The accounts whose change was published. */
export const publishedAccounts: number[] = [];

@Module({
  providers: [
    {
      provide: ACCOUNT_CHANGE_PUBLISHER,
      useValue: { publish: async (userId: number) => void publishedAccounts.push(userId) },
    },
  ],
  exports: [ACCOUNT_CHANGE_PUBLISHER],
})
class RecordedChangesModule {}

/** Longer than any test: a revocation waits for its acknowledgements however slow the machine is. */
@Global()
@Module({
  providers: [{ provide: REVOCATION_DEADLINE_MS, useValue: 3_600_000 }],
  exports: [REVOCATION_DEADLINE_MS],
})
class RevocationDeadlineModule {}

/** Subscriptions of Web Push may lead anywhere. */
const ANY_ENDPOINT = { hosts: ['*'], ports: [], privateHosts: [] };

/** Starts the push modules of a gateway. */
export async function startPushGateway(programs: PushPrograms): Promise<INestApplicationContext> {
  @Module({
    imports: [
      DatabaseModule.connect({ url: programs.databaseUrl, poolSize: 3 }),
      RedisModule.connect(programs.redisUrl),
      QueueModule.connect(programs.queueRedisUrls, pushJobs, programs.prefix),
      LimitsModule.with(usualLimits),
      DevicesModule,
      RevocationDeadlineModule,
      PushRegistrationModule,
      PushServiceModule.with(PUSH_KEY_SECRET, programs.relay),
      WebPushModule.with({ imports: [RateLimitsModule.with({})], policy: ANY_ENDPOINT }),
      PushProducerModule.with({
        testWaitMs: TEST_WAIT_MS,
        timeToLiveMs: TIME_TO_LIVE_MS,
        relay: programs.relay,
      }),
    ],
  })
  class GatewayModule {}
  const gateway = await start(GatewayModule);
  // A job that cannot be added waits for the sweeper, which runs rarely in tests.
  await untilQueuesAnswer(gateway);
  return gateway;
}

/** Starts a worker; `sweepMs` is both the interval of its sweeper and the age at which it sweeps. */
export function startPushWorker(
  programs: PushPrograms,
  transports: PushTransports,
  { sweepMs = 600_000, leaseMs = LEASE_MS, feedback = NO_FEEDBACK }: WorkerTiming,
): Promise<INestApplicationContext> {
  @Module({
    imports: [
      DatabaseModule.connect({ url: programs.databaseUrl, poolSize: 3, findsByIndex: true }),
      RedisModule.connect(programs.redisUrl),
      QueueModule.connect(programs.queueRedisUrls, pushJobs, programs.prefix),
      PushWorkerModule.with({
        queueRedisUrls: programs.queueRedisUrls,
        externalUrl: 'https://chat.example.org',
        queues: queuesOf(transports),
        transports,
        concurrency: CONCURRENCY,
        leaseMs,
        redactsContent: false,
        timeToLiveMs: 60_000,
        keySecret: PUSH_KEY_SECRET,
        relay: programs.relay,
        sweep: { everyMs: sweepMs, gracePeriodMs: sweepMs },
        tokenAges: { apns: 0, fcm: 0 },
        feedback,
        retention: { historyMs: 7 * DAY_MS, deadLettersMs: 30 * DAY_MS },
        imports: [RecordedChangesModule],
      }),
    ],
  })
  class WorkerModule {}
  return start(WorkerModule);
}

const start = (module: Type): Promise<INestApplicationContext> =>
  NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });

/** Every kind of push that the transports send, and the logouts. */
const queuesOf = (transports: PushTransports): QueueName[] => [
  ...platforms
    .filter((platform) => transports[platform] !== undefined)
    .flatMap((platform) => pushLanes.map((lane) => platformQueue(platform, lane))),
  'push-control',
];

/** Resolves when a program has connected to the queues. */
export const untilQueuesAnswer = (program: INestApplicationContext): Promise<void> =>
  eventually(() => program.get(JobQueues, { strict: false }).ping());
