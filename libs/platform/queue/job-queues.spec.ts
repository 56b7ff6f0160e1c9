import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Queue } from 'bullmq';
import type { Redis } from '#platform/redis';
import { JobQueues, type NewJob } from './job-queues.js';
import type { LetterJobs, LetterQueue } from './letter-jobs.fixture.js';

/** Writes down which jobs were added together, and loses Redis after so many times. */
class RecordingQueue extends EventEmitter {
  readonly added: string[][] = [];

  constructor(private readonly times = Infinity) {
    super();
  }

  async addBulk(jobs: readonly { readonly opts: { readonly jobId: string } }[]): Promise<void> {
    if (this.added.length === this.times) throw new Error('Redis is down');
    this.added.push(jobs.map(({ opts }) => opts.jobId));
  }

  async add(_name: string, _data: unknown, { jobId }: { readonly jobId: string }): Promise<void> {
    this.added.push([jobId]);
  }
}

const jobsOf = (count: number): NewJob<LetterJobs, 'letter.deliver'>[] =>
  Array.from({ length: count }, (_none, number) => ({
    name: 'letter.deliver',
    payload: { v: 2, items: [] },
    jobId: String(number),
  }));

/** Of BullMQ's queue and the connection only what is above is used. */
const queuesWith = (queue: RecordingQueue) =>
  new JobQueues<LetterJobs>(
    { letters: queue } as unknown as Record<LetterQueue, Queue>,
    {} as Redis,
    {
      prefix: '',
      leastPriority: 20,
    },
  );

describe(`${JobQueues.name}.enqueueMany`, () => {
  it.each([
    [0, []],
    [1, [1]],
    [20, [20]],
    [45, [20, 20, 5]],
  ])('adds %d jobs in order and in batches', async (count, sizes) => {
    const queue = new RecordingQueue();
    await queuesWith(queue).enqueueMany('letters', jobsOf(count));
    expect(queue.added.map(({ length }) => length)).toEqual(sizes);
    expect(queue.added.flat()).toEqual(jobsOf(count).map(({ jobId }) => jobId));
  });

  it('stops after a failed batch', async () => {
    const queue = new RecordingQueue(1);
    const adding = queuesWith(queue).enqueueMany('letters', jobsOf(100));
    await expect(adding).rejects.toThrow('Redis is down');
    expect(queue.added).toHaveLength(1);
  });
});
