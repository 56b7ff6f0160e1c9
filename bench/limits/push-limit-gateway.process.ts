import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { answerParent } from '../processes/answer-parent.js';
import { BareSignIn } from './bare-sign-in.js';
import { serveBare } from './bare-server.js';
import { JOB_NAME, JOB_OPTIONS, type PushLimitPlan, QUEUE_NAME } from './push-limit.js';

answerParent(async ({ redisUrl, users, tokens }: PushLimitPlan) => {
  const queue = new Queue(QUEUE_NAME, { connection: new Redis(redisUrl) });
  const signIn = new BareSignIn(users);
  const tokenOf = new Map(users.map(({ userId }, index) => [userId, tokens[index]]));

  return serveBare(async (request) => {
    const token = tokenOf.get(signIn.userOf(request.headers.authorization));
    await queue.add(JOB_NAME, { token }, JOB_OPTIONS);
    return '{"result":"success","msg":""}';
  });
});
