import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type {
  OnlineReading,
  PresenceAnswer,
  PresenceRequest,
  PresenceService,
  UserReading,
} from '#presence/rpc';
import { type OnlineUser, updateIdAt } from '../world/steady-realms.js';
import { REDIS_READING_SCRIPT } from './redis-reading.script.js';

const SCRIPT_SHA = createHash('sha1').update(REDIS_READING_SCRIPT).digest('hex');
const USERS_AT_ONCE = 2000;
/** Greater than every update id. */
const NOTHING = '+inf';

const keysOf = (realmId: number): [entries: string, order: string] => [
  `reading:${realmId}:entries`,
  `reading:${realmId}:order`,
];

const memberOf = (userId: number, at: number): string =>
  `"${userId}":{"active_timestamp":${at},"idle_timestamp":${at}}`;

/**
 * A presence service without state in memory: each report is one script call that writes and reads. Its responses are
 * not compressed, because compression would cost more than sending them over loopback.
 */
export class RedisReadingPresence implements PresenceService {
  private constructor(private readonly redis: Redis) {}

  /** Creates the service with these users online, as if they had reported at their times. */
  static async with(redis: Redis, users: readonly OnlineUser[]): Promise<RedisReadingPresence> {
    await redis.script('LOAD', REDIS_READING_SCRIPT);
    for (let first = 0; first < users.length; first += USERS_AT_ONCE) {
      const batch = redis.pipeline();
      for (const { userId, realmId, seenAt } of users.slice(first, first + USERS_AT_ONCE)) {
        const [entries, order] = keysOf(realmId);
        const member = memberOf(userId, Math.floor(seenAt / 1000));
        batch.hset(entries, userId, member, 'top', updateIdAt(Date.now()));
        batch.zadd(order, updateIdAt(seenAt), member);
      }
      await batch.exec();
    }
    return new RedisReadingPresence(redis);
  }

  async report(request: PresenceRequest): Promise<PresenceAnswer> {
    const { realmId, userId, reportedAt, pingOnly, lastUpdateId } = request;
    const cursor = lastUpdateId ?? -1;
    const keys = keysOf(realmId);
    const args = [userId, reportedAt, pingOnly ? NOTHING : cursor];
    // The script returns this type.
    const [top, members] = (await this.redis.evalsha(
      SCRIPT_SHA,
      keys.length,
      ...keys,
      ...args,
    )) as [top: string, members: string];
    if (pingOnly) return `{"presence_last_update_id":${cursor}}`;
    const next = members === '' ? cursor : top;
    return `{"presence_last_update_id":${next},"server_timestamp":${Date.now() / 1000},"presences":{${members}}}`;
  }

  changeVisibility(): Promise<void> {
    return notAsked();
  }

  readRealm(): Promise<string> {
    return notAsked();
  }

  readUser(): Promise<UserReading> {
    return notAsked();
  }

  readOnline(): Promise<OnlineReading> {
    return notAsked();
  }
}

async function notAsked(): Promise<never> {
  throw new Error('The bench asks only for reports.');
}
