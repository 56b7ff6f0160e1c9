import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PresenceRuntime } from '#presence/server';
import { eventually } from '#test/eventually';
import { parseAnswer, PresenceRealm, usersIn } from '#test/presence-realm';
import { startPresence } from '#test/start-presence';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { ThrowawayRedis } from '#test/throwaway-redis';

const PASSWORD = 'a-password-of-the-test';

/** The documented permissions of the Redis user, without its name and password. */
function documentedRules(): string[] {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const [, rules = ''] = /ACL SETUSER presence on '>[^']*' (.*)/.exec(page) ?? [];
  return rules.replaceAll("'", '').split(' ').filter(Boolean);
}

describe('A Redis user with the documented permissions', () => {
  let stores: TestDatabase;
  let redis: ThrowawayRedis;
  let realm: PresenceRealm;
  let sut: PresenceRuntime;

  beforeAll(async () => {
    [stores, redis] = await Promise.all([createTestDatabase(), ThrowawayRedis.start()]);
    await redis.run((connection) =>
      connection.acl('SETUSER', 'presence', 'on', `>${PASSWORD}`, ...documentedRules()),
    );
    realm = await PresenceRealm.create(stores.database);
    const url = new URL(redis.url);
    url.username = 'presence';
    url.password = PASSWORD;
    sut = await startPresence(stores.database, { redisUrl: url.href });
  });

  afterAll(async () => {
    await sut.stop();
    await redis.remove();
    await stores.drop();
  });

  it('has all permissions that presence needs', async () => {
    const users = await realm.addUsers(3);
    const everyoneIsSeen = async () => {
      const answer = await sut.service.report(realm.poll(users[0] ?? 0));
      expect(usersIn(parseAnswer(answer))).toEqual(users);
    };
    for (const userId of users) await sut.service.report(realm.request(userId));
    await everyoneIsSeen();
    await redis.run((connection) => connection.flushall());
    await eventually(() => expect(sut.counters.restored).toBe(users.length));
    await everyoneIsSeen();
    await sut.checkRedis();
    const refused = await redis.run(async (connection) => {
      const entries = (await connection.acl('LOG')) as unknown[][];
      return entries.map((entry) => entry[entry.indexOf('object') + 1]);
    });
    // The client checks once per connection whether Redis is loading, and continues if it may not.
    expect(refused.filter((command) => command !== 'info')).toEqual([]);
  });

  it('may not run dangerous commands or read other keys', async () => {
    const denied = await redis.run((connection) =>
      Promise.all(
        [
          ['FLUSHALL'],
          ['KEYS', '*'],
          ['CONFIG', 'GET', 'maxmemory'],
          ['GET', 'auth:{u1}:version'],
        ].map((command) => connection.call('ACL', 'DRYRUN', 'presence', ...command)),
      ),
    );
    for (const answer of denied) expect(answer).toMatch(/no permissions/i);
  });
});
