import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DelayedError, Queue, Worker } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { eventually } from '#test/eventually';
import { RedisCluster } from '#test/redis-cluster';
import { testRedisUrl } from '#test/test-stores';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { JobQueues, type NewJob, type Queues } from './job-queues.js';
import { type LetterJobs, type LetterQueue, letterQueues } from './letter-jobs.fixture.js';
import { queueKeyPrefix } from './queue-options.js';

const MINUTE_MS = 60_000;
const CONSUMED: LetterQueue = 'letters';

/** Queues under a prefix of the test's own, on any kind of Redis. */
class TestQueues {
  readonly prefix = `test-${randomBytes(6).toString('hex')}`;
  readonly queues: Queues<LetterJobs>;
  readonly sut: JobQueues<LetterJobs>;

  readonly redis: Redis | Cluster;

  constructor(readonly open: () => Redis | Cluster) {
    const redis = open();
    this.redis = redis;
    const entries = letterQueues.map((name) => [
      name,
      new Queue(name, { connection: redis, prefix: queueKeyPrefix(this.prefix, name) }),
    ]);
    this.queues = Object.fromEntries(entries) as Queues<LetterJobs>;
    this.sut = new JobQueues(this.queues, redis, { prefix: this.prefix, leastPriority: 20 });
  }

  async remove(): Promise<void> {
    for (const queue of Object.values(this.queues)) {
      await queue.obliterate({ force: true });
      await queue.close();
    }
    await this.redis.del(`${this.prefix}:queues-are-here`);
    this.redis.disconnect();
  }
}

const jobOf = (jobId: string, priority?: number): NewJob<LetterJobs, 'letter.deliver'> => ({
  name: 'letter.deliver',
  jobId,
  payload: { v: 2, items: [] },
  ...(priority === undefined ? {} : { priority }),
});

describe(`${JobQueues.name}.oldestWaitingMs`, () => {
  let queues: TestQueues;

  beforeAll(() => {
    queues = new TestQueues(() => new Redis(testRedisUrl(), { maxRetriesPerRequest: null }));
  });
  afterAll(() => queues.remove());

  const addOld = (queue: LetterQueue, minutes: number, priority?: number) =>
    queues.queues[queue].add(
      'letter.deliver',
      {},
      {
        timestamp: Date.now() - minutes * MINUTE_MS,
        ...(priority === undefined ? {} : { priority }),
      },
    );
  const oldestMinutes = async (queue: LetterQueue) => {
    const age = await queues.sut.oldestWaitingMs(queue);
    return age === null ? null : Math.round(age / MINUTE_MS);
  };

  it('is the age of the oldest job of any priority', async () => {
    expect(await oldestMinutes('letters-bulk')).toBeNull();
    await addOld('letters-bulk', 5, 7);
    await addOld('letters-bulk', 3, 7);
    expect(await oldestMinutes('letters-bulk')).toBe(5);
    await addOld('letters-bulk', 1, 1);
    expect(await oldestMinutes('letters-bulk')).toBe(5);
    await addOld('letters-bulk', 9, 20);
    expect(await oldestMinutes('letters-bulk')).toBe(9);
    await addOld('letters-bulk', 20);
    expect(await oldestMinutes('letters-bulk')).toBe(20);
  });

  it('is known for a paused queue too', async () => {
    await addOld('parcels-bulk', 4, 2);
    await queues.sut.pause('parcels-bulk');
    expect(await oldestMinutes('parcels-bulk')).toBe(4);
  });
});

describe(`${JobQueues.name}.checkWrites`, () => {
  it('rejects while Redis answers and refuses to write', async () => {
    const server = await ThrowawayRedis.start();
    const queues = new TestQueues(() => new Redis(server.url, { maxRetriesPerRequest: null }));
    await expect(queues.sut.checkWrites(['letters'])).resolves.toBeUndefined();
    await server.run((redis) => redis.config('SET', 'maxmemory', '1'));
    await expect(queues.sut.ping(['letters'])).resolves.toBeUndefined();
    await expect(queues.sut.checkWrites(['letters'])).rejects.toThrow('OOM');
    await server.run((redis) => redis.config('SET', 'maxmemory', '0'));
    await queues.remove();
    await server.remove();
  });
});

describe('The queues on Redis Cluster', () => {
  let cluster: RedisCluster;
  let queues: TestQueues;

  beforeAll(async () => {
    cluster = await RedisCluster.start();
    const nodes = cluster.urls.map((url) => new URL(url));
    const [{ username, password }] = nodes as [URL];
    queues = new TestQueues(
      () =>
        new Cluster(
          nodes.map(({ hostname: host, port }) => ({ host, port: Number(port) })),
          { redisOptions: { username, password, maxRetriesPerRequest: null } },
        ),
    );
  });
  afterAll(async () => {
    await queues?.remove();
    await cluster?.remove();
  });

  it('have all keys of a queue in one slot, and several nodes', async () => {
    const nodes = await Promise.all(
      letterQueues.map((name) =>
        cluster.nodeOf(`${queueKeyPrefix(queues.prefix, name)}:${name}:wait`),
      ),
    );
    expect(new Set(nodes).size).toBeGreaterThan(1);
  });

  it('accept jobs with and without priority, know their age, and pause independently', async () => {
    for (const queue of letterQueues) {
      await queues.sut.enqueueMany(queue, [jobOf('one'), jobOf('two'), jobOf('third', 7)]);
      await queues.sut.enqueue(queue, { ...jobOf('later'), delayMs: MINUTE_MS });
      expect(await queues.sut.counts(queue)).toEqual({ waiting: 3, delayed: 1, active: 0 });
      expect(await queues.sut.oldestWaitingMs(queue)).toBeLessThan(MINUTE_MS);
    }
    await queues.sut.pause('parcels');
    expect(await queues.sut.isPaused('parcels')).toBe(true);
    expect(await queues.sut.isPaused('letters')).toBe(false);
    await queues.sut.resume('parcels');
    expect(await queues.sut.claimRedisReset()).toBe(true);
    expect(await queues.sut.claimRedisReset()).toBe(false);
  });

  it('are consumed, and repeat a job', async () => {
    const started: string[] = [];
    const connection = queues.open();
    const worker = new Worker(
      CONSUMED,
      async (job, token) => {
        started.push(job.id ?? '');
        if (job.id !== 'two' || started.filter((id) => id === 'two').length > 1) return;
        await job.moveToDelayed(Date.now() + 1, token);
        throw new DelayedError();
      },
      {
        connection,
        prefix: queueKeyPrefix(queues.prefix, CONSUMED),
      },
    );
    try {
      await eventually(async () => {
        expect(started.toSorted()).toEqual(['one', 'third', 'two', 'two']);
        expect(await queues.sut.counts(CONSUMED)).toEqual({ waiting: 0, delayed: 1, active: 0 });
      });
    } finally {
      await worker.close();
      connection.disconnect();
    }
  });

  it('reach a queue while the node of another one is down', async () => {
    const owners = await Promise.all(
      letterQueues.map((name) => cluster.nodeOf(queueKeyPrefix(queues.prefix, name))),
    );
    const lost = owners[0] as number;
    const onNode = (isLost: boolean) =>
      letterQueues.filter((_, index) => (owners[index] === lost) === isLost);
    await cluster.kill(lost);
    try {
      expect(await queues.sut.canReach(onNode(false))).toBe(true);
      for (const queue of onNode(true)) expect(await queues.sut.canReach([queue])).toBe(false);
      expect(await queues.sut.canReach(letterQueues)).toBe(false);
    } finally {
      await cluster.startAgain(lost);
    }
  });
});
