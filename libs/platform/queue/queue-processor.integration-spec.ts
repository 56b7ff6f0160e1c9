import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type INestApplicationContext, Injectable, Logger, Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Queue } from 'bullmq';
import { withinDeadline } from '#platform/core';
import { DatabaseHealth, SchemaHooks } from '#platform/database';
import { type Redis, RedisModule } from '#platform/redis';
import { eventually } from '#test/eventually';
import { RedisCluster } from '#test/redis-cluster';
import { testRedisUrl } from '#test/test-stores';
import { ThrowawayRedis } from '#test/throwaway-redis';
import type { JobHandler, JobOutcome } from './job-dispatcher.js';
import { JobQueues } from './job-queues.js';
import { type LetterJobs, letterJobs } from './letter-jobs.fixture.js';
import { QueueConsumerModule } from './queue-consumer.module.js';
import { QUEUE_PREFIX, queueKeyPrefix } from './queue-options.js';
import { QueueModule } from './queue.module.js';

const QUEUE = 'letters';
const END_DEADLINE_MS = 8000;
const WORKERS = 5;
const handled: string[] = [];
/** Jobs are running until this resolves. */
let running: Promise<unknown> = Promise.resolve();
let started = 0;
const payload = { v: 2 as const, items: [{ id: randomUUID(), devices: [1] }] };

@Injectable()
class RecordingHandler implements JobHandler<'letter.deliver'> {
  readonly jobName = 'letter.deliver';

  async handle(_payload: unknown, { jobId }: { readonly jobId: string }): Promise<JobOutcome> {
    started += 1;
    await running;
    handled.push(jobId);
    return {};
  }
}

/** The queue has this job too. */
@Injectable()
class IdleHandler implements JobHandler<'letter.return'> {
  readonly jobName = 'letter.return';

  handle(): Promise<JobOutcome> {
    return Promise.resolve({});
  }
}

const handlers = [RecordingHandler, IdleHandler];

@Module({ providers: handlers, exports: handlers })
class HandlersModule {}

const schema = { check: () => Promise.resolve() };

/** Workers wait for the schema, and these have no database. */
@Module({
  imports: [DiscoveryModule],
  providers: [SchemaHooks, { provide: DatabaseHealth, useValue: { schema } }],
})
class SchemaModule {}

/** A worker and a producer, as a push worker has them. */
async function startWorker(url: string, queueUrls = [url]): Promise<INestApplicationContext> {
  @Module({
    imports: [
      SchemaModule,
      RedisModule.connect(url),
      QueueModule.connect(queueUrls, letterJobs),
      QueueConsumerModule.consume({
        jobs: letterJobs,
        redisUrls: queueUrls,
        queues: [{ name: QUEUE, concurrency: 1 }],
        handlers,
        imports: [HandlersModule],
      }),
    ],
  })
  class WorkerModule {}
  return NestFactory.createApplicationContext(WorkerModule, { logger: false });
}

describe('A worker with a missing database of Redis', () => {
  let server: ThrowawayRedis;
  let worker: INestApplicationContext | undefined;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    server = await ThrowawayRedis.start();
  });
  afterAll(async () => {
    await server.remove();
    Logger.overrideLogger(true);
  });
  beforeEach(() => {
    handled.length = 0;
  });
  afterEach(async () => {
    await worker?.close();
    worker = undefined;
    await server.run((redis) => redis.flushall());
  });

  /** Puts a job into the queue of the same name in database 0, which is somebody else's. */
  async function addElsewhere(jobId: string): Promise<void> {
    await server.run(async (redis: Redis) => {
      const connection = redis.duplicate({ enableOfflineQueue: true });
      const queue = new Queue(QUEUE, { connection, prefix: queueKeyPrefix(QUEUE_PREFIX, QUEUE) });
      await queue.add('letter.deliver', payload, { jobId });
      await queue.close();
      connection.disconnect();
    });
  }

  const connections = () => server.run(async (redis) => String(await redis.client('LIST')));

  it('takes no job of another database, and writes nothing to it', async () => {
    await addElsewhere('theirs');
    const before = await server.run((redis) => redis.keys('*'));
    const refusals = async () => {
      const errors = await server.run((redis) => redis.info('errorstats'));
      return Number(/errorstat_ERR:count=(\d+)/.exec(errors)?.[1] ?? 0);
    };
    worker = await startWorker(`${server.url}/99`);
    await eventually(async () => expect(await refusals()).toBeGreaterThan(10));
    expect(handled).toEqual([]);
    expect(await server.run((redis) => redis.keys('*'))).toEqual(before);
    await expect(worker.get(JobQueues).counts(QUEUE)).rejects.toThrow(/Redis|Connection|Stream/);
    expect(await connections()).not.toMatch(/ cmd=bzpopmin/);
  });

  it('takes the jobs of an existing database', async () => {
    worker = await startWorker(`${server.url}/15`);
    await addElsewhere('theirs');
    await worker.get(JobQueues).enqueue(QUEUE, { name: 'letter.deliver', jobId: 'ours', payload });
    await eventually(async () => expect(handled).toEqual(['ours']));
    expect(await connections()).toMatch(/ db=15 .* cmd=bzpopmin/);
  });
});

describe('Workers on Redis Cluster', () => {
  let cluster: RedisCluster;
  let workers: readonly INestApplicationContext[];
  let queues: JobQueues<LetterJobs>;
  let owner: number;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    cluster = await RedisCluster.start();
    owner = await cluster.nodeOf(queueKeyPrefix(QUEUE_PREFIX, QUEUE));
  });
  afterAll(async () => {
    await cluster.remove();
    Logger.overrideLogger(true);
  });
  beforeEach(async () => {
    handled.length = 0;
    started = 0;
    running = Promise.resolve();
    // Each ends at another moment of its attempts to reach the node.
    workers = await Promise.all(
      Array.from({ length: WORKERS }, () => startWorker(testRedisUrl(), cluster.urls)),
    );
    queues = (workers[0] as INestApplicationContext).get(JobQueues);
  });
  afterEach(() => cluster.startAgain(owner));

  const add = (jobId: string) =>
    eventually(() => queues.enqueue(QUEUE, { name: 'letter.deliver', jobId, payload }));
  const untilEnded = (closing: Promise<void>) =>
    withinDeadline(END_DEADLINE_MS, closing, () =>
      Promise.reject(new Error('The worker does not end')),
    );

  it('end while the node of their queue is down', async () => {
    await add('before');
    await eventually(async () => expect(handled).toEqual(['before']));
    await cluster.kill(owner);
    expect(await queues.canReach([QUEUE])).toBe(false);
    for (const worker of workers) await untilEnded(worker.close());
  });

  it('end while the node of their queue is down, after their running jobs', async () => {
    let finish = () => {};
    running = new Promise<void>((resolve) => (finish = resolve));
    const jobIds = workers.map((_, index) => `running-${index}`);
    for (const jobId of jobIds) await add(jobId);
    await eventually(async () => expect(started).toBe(WORKERS));
    await cluster.kill(owner);
    const closing = workers.map((worker) => worker.close());
    expect(await queues.canReach([QUEUE])).toBe(false);
    expect(handled).toEqual([]);
    finish();
    await untilEnded(Promise.all(closing).then(() => undefined));
    expect(handled.toSorted()).toEqual(jobIds);
  });

  // Without a bound, some of the workers wait for ever for the answer to their last command.
  it.each([40, 150])(
    'end if the node of their queue is lost %s ms after they began',
    async (ms) => {
      await add('before');
      await eventually(async () => expect(handled).toEqual(['before']));
      const closing = workers.map((worker) => worker.close());
      await delay(ms);
      await cluster.kill(owner);
      await untilEnded(Promise.all(closing).then(() => undefined));
    },
  );
});
