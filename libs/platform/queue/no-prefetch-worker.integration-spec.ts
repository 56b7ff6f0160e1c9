import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Queue } from 'bullmq';
import { eventually } from '#test/eventually';
import { testRedisUrl } from '#test/test-stores';
import { NoPrefetchWorker } from './no-prefetch-worker.js';

const JOBS = 20;

describe('NoPrefetchWorker', () => {
  let queue: Queue;
  let worker: NoPrefetchWorker | undefined;
  /** The number of jobs that the worker had fetched at the start of each job. */
  let fetchedAtStart: number[];
  let running: number;
  let mostRunning: number;
  let end: () => void;

  const options = () => ({ connection: { url: testRedisUrl() }, prefix: '{no-prefetch}' });

  beforeEach(() => {
    queue = new Queue(randomUUID(), options());
    fetchedAtStart = [];
    running = 0;
    mostRunning = 0;
  });
  afterEach(async () => {
    end();
    await worker?.close();
    await queue.obliterate({ force: true });
    await queue.close();
  });

  /** Jobs run until `end`. */
  function startWorker(concurrency: number): void {
    const ended = new Promise<void>((resolve) => (end = resolve));
    const process = async () => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      fetchedAtStart.push(await queue.getActiveCount());
      await ended;
      running -= 1;
    };
    worker = new NoPrefetchWorker(queue.name, process, { ...options(), concurrency });
  }

  const addJobs = () =>
    queue.addBulk(Array.from({ length: JOBS }, () => ({ name: 'job', data: {} })));

  it('starts each job before it fetches the next one', async () => {
    await addJobs();
    startWorker(JOBS);
    await eventually(() => expect(fetchedAtStart).toHaveLength(JOBS));
    // The next fetch may be before the count.
    for (const [place, fetched] of fetchedAtStart.entries()) {
      expect(fetched).toBeLessThanOrEqual(place + 2);
    }
  });

  it('runs as many jobs at once as allowed, and all of them in the end', async () => {
    await addJobs();
    startWorker(3);
    await eventually(() => expect(running).toBe(3));
    end();
    await eventually(async () => expect(await queue.getCompletedCount()).toBe(JOBS));
    expect(mostRunning).toBe(3);
  });

  it('fetches a job that arrives while others run', async () => {
    startWorker(JOBS);
    for (let job = 1; job <= 3; job += 1) {
      await queue.add('job', {});
      await eventually(() => expect(running).toBe(job));
    }
  });
});
