import { createHash } from 'node:crypto';
import { parse } from 'node:querystring';
import { Redis } from 'ioredis';
import { answerParent } from '../processes/answer-parent.js';
import { BareSignIn } from './bare-sign-in.js';
import { serveBare } from './bare-server.js';
import { PRESENCE_LIMIT_SCRIPT } from './presence-limit.script.js';
import type { PresenceLimitPlan } from './presence-limit.js';

const MAX_CALLS = 1_000_000;
const AUTH_VERSION = '1';

const rateKey = (userId: number): string => `limit:rate:${userId}`;
const versionKey = (userId: number): string => `limit:version:${userId}`;

answerParent(async ({ redisUrl, users, realm }: PresenceLimitPlan) => {
  // Pipelines the commands of one turn of the event loop in one write, which is the fastest mode of ioredis.
  const redis = new Redis(redisUrl, { enableAutoPipelining: true });
  await redis.mset(users.flatMap(({ userId }) => [versionKey(userId), AUTH_VERSION]));
  await redis.script('LOAD', PRESENCE_LIMIT_SCRIPT);
  const sha = createHash('sha1').update(PRESENCE_LIMIT_SCRIPT).digest('hex');
  const signIn = new BareSignIn(users);
  const [entriesKey, changesKey] = [`limit:${realm}:entries`, `limit:${realm}:changes`];

  return serveBare(async (request, body) => {
    const userId = signIn.userOf(request.headers.authorization);
    const { last_update_id: lastUpdateId = '-1' } = parse(body);
    const now = Date.now() / 1000;
    const [calls, version, cursor, members] = (await redis.evalsha(
      sha,
      4,
      rateKey(userId),
      versionKey(userId),
      entriesKey,
      changesKey,
      userId,
      Math.floor(now),
      lastUpdateId === '-1' ? '0' : String(lastUpdateId),
      // The script returns this type.
    )) as [number, string | null, string, string];
    if (calls > MAX_CALLS || version !== AUTH_VERSION) throw new Error('Not let in');
    return `{"result":"success","msg":"","presence_last_update_id":${cursor},"server_timestamp":${now},"presences":{${members}}}`;
  });
});
