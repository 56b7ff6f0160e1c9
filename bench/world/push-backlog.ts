import { randomBytes } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { platformQueue, pushJobs } from '#push/jobs';
import { JobQueues, QUEUE_PREFIX, queueKeyPrefix, QueueModule } from '#platform/queue';
import { JOB_NAME, JOB_OPTIONS, QUEUE_NAME } from '../limits/push-limit.js';
import type { BenchWorldRepository } from './bench-world.repository.js';

const OUR_QUEUE = platformQueue('apns', 'urgent');
const CHUNK = 1000;

/**
 * Waiting jobs in the urgent queue of Carillon, one per accepted notification, and as many in the queue of the
 * reference design. Those of Carillon go through the real producer and have rows in the ledger.
 */
export class PushBacklog {
  readonly #connection: Redis;
  readonly #ours: Queue;
  readonly #bare: Queue;

  constructor(
    private readonly world: BenchWorldRepository,
    private readonly redisUrl: string,
  ) {
    this.#connection = new Redis(redisUrl);
    this.#ours = new Queue(OUR_QUEUE, {
      connection: this.#connection,
      prefix: queueKeyPrefix(QUEUE_PREFIX, OUR_QUEUE),
    });
    this.#bare = new Queue(QUEUE_NAME, { connection: this.#connection });
  }

  async pileUp(
    device: { readonly userId: number; readonly deviceId: number; readonly token: string },
    count: number,
  ): Promise<void> {
    const producer = await NestFactory.createApplicationContext(
      QueueModule.connect([this.redisUrl], pushJobs),
      { logger: false },
    );
    try {
      const queues = producer.get(JobQueues);
      for (let done = 0; done < count; done += CHUNK) {
        const ids = await this.world.acceptSilently(device, Math.min(CHUNK, count - done));
        await queues.enqueueMany(
          OUR_QUEUE,
          ids.map((id) => ({
            name: 'notification.deliver',
            jobId: randomBytes(32).toString('base64url'),
            payload: { v: 2, items: [{ id, devices: [device.deviceId] }] },
          })),
        );
        await this.#bare.addBulk(
          ids.map(() => ({ name: JOB_NAME, data: { token: device.token }, opts: JOB_OPTIONS })),
        );
      }
    } finally {
      await producer.close();
    }
  }

  /** The number of waiting jobs in both queues, of all priorities. */
  async sizes(): Promise<{ ours: number; limit: number }> {
    const [ours, limit] = await Promise.all(
      [this.#ours, this.#bare].map((queue) => queue.getJobCountByTypes('wait', 'prioritized')),
    );
    return { ours: ours ?? 0, limit: limit ?? 0 };
  }

  /** Removes the jobs and all notifications. */
  async clear(): Promise<void> {
    for (const queue of [this.#ours, this.#bare]) await queue.obliterate({ force: true });
    await this.world.forgetNotifications();
  }

  async close(): Promise<void> {
    await Promise.all([this.#ours.close(), this.#bare.close()]);
    await this.#connection.quit();
  }
}
