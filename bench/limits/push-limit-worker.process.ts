import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { answerParent } from '../processes/answer-parent.js';
import { openBareSender } from './bare-sender.js';
import { type PushLimitPlan, QUEUE_NAME } from './push-limit.js';

answerParent(async ({ redisUrl, worker: work }: PushLimitPlan) => {
  if (work === null) throw new Error('There is nothing to send with.');
  const client = await openBareSender(work.access, work.sample);
  const send = ({ data }: { data: { token: string } }) => client.send(data.token);
  const worker = new Worker<{ token: string }>(QUEUE_NAME, send, {
    connection: new Redis(redisUrl, { maxRetriesPerRequest: null }),
    concurrency: work.concurrency,
  });
  worker.on('failed', (_job, error) => console.error(error));
  await worker.waitUntilReady();
});
