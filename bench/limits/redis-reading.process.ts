import { createHash } from 'node:crypto';
import { parse } from 'node:querystring';
import { Redis } from 'ioredis';
import { answerParent } from '../processes/answer-parent.js';
import { type OnlineUser, updateIdAt } from '../world/steady-realms.js';
import { BareSignIn } from './bare-sign-in.js';
import { type BareHandler, serveBare } from './bare-server.js';
import type { RedisReadingQuestion } from './redis-reading.js';
import { REDIS_READING_SCRIPT } from './redis-reading.script.js';

const MOST_CALLS = 1_000_000;
const AUTH_VERSION = '1';
const USERS_AT_ONCE = 2000;

const rateKey = (userId: number): string => `reading:rate:${userId}`;
const versionKey = (userId: number): string => `reading:version:${userId}`;
const realmKeys = (realmId: number): [entries: string, order: string, meta: string] => [
  `reading:${realmId}:entries`,
  `reading:${realmId}:order`,
  `reading:${realmId}:meta`,
];

const memberOf = (userId: number, at: number): string =>
  `"${userId}":{"active_timestamp":${at},"idle_timestamp":${at}}`;

/** Writes what reports would have written at the time. */
async function bringOnline(redis: Redis, users: readonly OnlineUser[]): Promise<void> {
  for (let first = 0; first < users.length; first += USERS_AT_ONCE) {
    const batch = redis.pipeline();
    for (const { userId, realmId, seenAt } of users.slice(first, first + USERS_AT_ONCE)) {
      const [entries, order, meta] = realmKeys(realmId);
      batch.set(versionKey(userId), AUTH_VERSION);
      batch.hset(entries, userId, memberOf(userId, Math.floor(seenAt / 1000)));
      batch.zadd(order, updateIdAt(seenAt), userId);
      batch.hset(meta, 'top', updateIdAt(Date.now()));
    }
    await batch.exec();
  }
}

async function handlerFor(redis: Redis, users: readonly OnlineUser[]): Promise<BareHandler> {
  await redis.script('LOAD', REDIS_READING_SCRIPT);
  const sha = createHash('sha1').update(REDIS_READING_SCRIPT).digest('hex');
  const signIn = new BareSignIn(users);
  const realmOf = new Map(users.map(({ userId, realmId }) => [userId, realmId]));
  return async (request, body) => {
    const userId = signIn.userOf(request.headers.authorization);
    const { last_update_id: cursor = '', ping_only: pingOnly } = parse(body);
    const now = Date.now() / 1000;
    const keys = [rateKey(userId), versionKey(userId), ...realmKeys(realmOf.get(userId) ?? 0)];
    const readAfter = pingOnly === 'true' ? '+inf' : String(cursor);
    const args = [...keys, userId, Math.floor(now), readAfter];
    // The script returns this.
    const [calls, version, top, members] = (await redis.evalsha(sha, keys.length, ...args)) as [
      calls: number,
      version: string | null,
      top: string,
      members: string,
    ];
    if (calls > MOST_CALLS || version !== AUTH_VERSION) throw new Error('Not let in');
    return `{"result":"success","msg":"","presence_last_update_id":${top},"server_timestamp":${now},"presences":{${members}}}`;
  };
}

answerParent(async ({ redisUrl, users }: RedisReadingQuestion) => {
  // Commands of one turn of the event loop go out in one write: the fastest way that ioredis has.
  const redis = new Redis(redisUrl, { enableAutoPipelining: true });
  await bringOnline(redis, users);
  return serveBare(await handlerFor(redis, users));
});
