import { Notification, Provider } from '@parse/node-apn';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { answerParent } from '../processes/answer-parent.js';
import { APP_ID } from '../world/bench-world.js';
import { type PushLimitPlan, QUEUE_NAME } from './push-limit.js';

const EXPIRES_AFTER_SECONDS = 3600;

answerParent(async ({ redisUrl, apns, concurrency }: PushLimitPlan) => {
  const { host, port, caFile, keyFile, keyId, teamId } = apns;
  const provider = new Provider({
    token: { key: keyFile, keyId, teamId },
    address: host,
    port,
    ca: [caFile],
    production: true,
    connectionRetryLimit: 0,
    // As long as ours waits: a machine that stalls is no failure.
    requestTimeout: 10_000,
  });
  const send = async (token: string) => {
    const notification = new Notification();
    notification.topic = APP_ID;
    notification.pushType = 'alert';
    notification.expiry = Math.floor(Date.now() / 1000) + EXPIRES_AFTER_SECONDS;
    notification.alert = { title: 'Test notification', body: 'This is a test.' };
    const { failed } = await provider.send(notification, token);
    if (failed.length > 0) throw new Error(`Not delivered: ${JSON.stringify(failed)}`);
  };
  const worker = new Worker<{ token: string }>(QUEUE_NAME, ({ data }) => send(data.token), {
    connection: new Redis(redisUrl, { maxRetriesPerRequest: null }),
    concurrency,
  });
  worker.on('failed', (_job, error) => console.error(error));
  await worker.waitUntilReady();
});
