import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type PresenceRuntime } from '#presence/server';
import { keysOf } from '#presence/store';
import { eventually } from '#test/eventually';
import { nowSeconds, parseAnswer, PresenceRealm, type PresenceTimes } from '#test/presence-realm';
import { startPresence } from '#test/start-presence';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { useDatabase, useFixture } from '#test/use-fixture';

const YEAR_SECONDS = 31_536_000;
const FORTNIGHT_SECONDS = 14 * 86_400;
/** The accepted tolerance, and the time that a test may take. */
const LITTLE_SECONDS = 30;
/** Last active and idle in 2106. */
const STORED_AHEAD = Buffer.from('0000000000000100ffffffff', 'hex');

describe('Presence with wrong clocks', () => {
  const stores = useDatabase();
  const redis = useFixture(() => ThrowawayRedis.start());
  let realm: PresenceRealm;
  let ann: number;
  let ben: number;
  let sut: PresenceRuntime;

  beforeEach(async () => {
    realm = await PresenceRealm.create(stores.database);
    [ann = 0, ben = 0] = await realm.addUsers(2);
    sut = await startPresence(stores.database, { redisUrl: redis.url });
  });

  afterEach(() => sut.stop());

  async function shown(userId: number): Promise<PresenceTimes | undefined> {
    return parseAnswer(await sut.service.report(realm.poll(ann))).presences[userId];
  }

  const report = (userId: number, reportedAt: number, status: 'active' | 'idle' = 'active') =>
    sut.service.report(realm.request(userId, { reportedAt, status }));

  it('shows a report that is a year ahead with the current time', async () => {
    await report(ben, nowSeconds() + YEAR_SECONDS);
    const { active_timestamp, idle_timestamp } = (await shown(ben)) ?? {};
    for (const at of [active_timestamp, idle_timestamp]) {
      expect(Math.abs((at ?? 0) - nowSeconds())).toBeLessThan(LITTLE_SECONDS);
    }
    expect(sut.counters.aheadReports).toBe(1);
  });

  it('shows a user for 14 days after the last report, by its own clock', async () => {
    await report(ben, nowSeconds());
    expect(await shown(ben)).toBeDefined();
    let passedSeconds = 0;
    const clock = () => Date.now() + passedSeconds * 1000;
    const later = await startPresence(stores.database, { redisUrl: redis.url, clock });
    try {
      const isShown = async () =>
        ben in parseAnswer(await later.service.report(realm.poll(ann))).presences;
      for (const [seconds, expected] of [
        [FORTNIGHT_SECONDS - LITTLE_SECONDS, true],
        [FORTNIGHT_SECONDS + LITTLE_SECONDS, false],
        [0, true],
      ] as const) {
        passedSeconds = seconds;
        expect([seconds, await isShown()]).toEqual([seconds, expected]);
      }
    } finally {
      await later.stop();
    }
  });

  it('moves the times of a gateway whose clock is behind', async () => {
    const [behind, sentAt] = [240, nowSeconds() - 240];
    const buffered = realm.request(ben, { reportedAt: sentAt - 30, sentAt });
    await sut.service.report(buffered);
    const isNear = (at: number | undefined, expected: number) =>
      expect(Math.abs((at ?? 0) - expected)).toBeLessThan(LITTLE_SECONDS / 2);
    isNear((await shown(ben))?.active_timestamp, buffered.reportedAt + behind);
    const change = { ...realm.visibility(ben, false, sentAt), sentAt };
    await sut.service.changeVisibility(change);
    isNear((await shown(ben))?.idle_timestamp, nowSeconds() - 320);
    // A report from before the change stays without effect.
    await report(ben, nowSeconds() - LITTLE_SECONDS);
    isNear((await shown(ben))?.idle_timestamp, nowSeconds() - 320);
  });

  it('reduces the times of buffered reports before it saves them', async () => {
    await report(ben, nowSeconds() - 600);
    await redis.kill();
    await report(ben, nowSeconds() + YEAR_SECONDS);
    await sut.service.changeVisibility(realm.visibility(ann, false, nowSeconds() + YEAR_SECONDS));
    await redis.startAgain();
    await eventually(() => expect(sut.status().bufferedUsers).toBe(0));
    await sut.stop();
    const rows = await stores.database.prisma.userPresence.findMany({
      where: { realmId: realm.id },
    });
    expect(rows.length).toBeGreaterThan(0);
    for (const { idleAt, updateId } of rows) {
      expect(idleAt).toBeLessThan(nowSeconds() + LITTLE_SECONDS);
      expect(Number(updateId) / 1_000_000).toBeLessThan(nowSeconds() + LITTLE_SECONDS);
    }
    sut = await startPresence(stores.database, { redisUrl: redis.url });
  });

  it('shows a user again who went invisible at a time ahead of the clock', async () => {
    await sut.service.changeVisibility(realm.visibility(ben, false, nowSeconds() + YEAR_SECONDS));
    await eventually(async () => {
      const at = nowSeconds();
      await sut.service.changeVisibility(realm.visibility(ben, true, at));
      expect((await shown(ben))?.active_timestamp).toBe(at);
    });
  });

  it('corrects times stored by an older release, and publishes the correction', async () => {
    const cursor = parseAnswer(
      await sut.service.report(realm.request(ann, { reportedAt: nowSeconds() - 600 })),
    ).presence_last_update_id;
    await sut.stop();
    const { entries } = keysOf(realm.id);
    await redis.run((connection) => connection.hset(entries, String(ben), STORED_AHEAD));
    sut = await startPresence(stores.database, { redisUrl: redis.url });
    await eventually(async () => {
      const answer = parseAnswer(await sut.service.report(realm.poll(ann, cursor)));
      expect(Object.keys(answer.presences)).toEqual([String(ben)]);
      expect(answer.presences[ben]?.active_timestamp).toBeLessThan(nowSeconds() + LITTLE_SECONDS);
    });
  });

  it('restores a user whose last seen is far ahead with the current time', async () => {
    const at = nowSeconds() + YEAR_SECONDS;
    const updateId = BigInt(at) * 1_000_000n;
    await stores.database.prisma.userPresence.create({
      data: { userId: ben, realmId: realm.id, activeAt: at, idleAt: at, updateId },
    });
    expect((await shown(ben))?.active_timestamp).toBeLessThan(nowSeconds() + LITTLE_SECONDS);
    await report(ann, nowSeconds());
    expect((await shown(ann))?.active_timestamp).toBeGreaterThan(0);
  });
});
