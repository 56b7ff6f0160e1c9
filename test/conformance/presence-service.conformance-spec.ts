import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceRequest, PresenceService } from '#presence/rpc';
import { eventually } from '#test/eventually';
import {
  JOINED_AT,
  nowSeconds,
  parseAnswer,
  type PresencePicture,
  PresenceRealm,
  usersIn,
} from '#test/presence-realm';
import { useFixture } from '#test/use-fixture';
import { presenceImplementations } from './presence-implementations.js';

describe.each(presenceImplementations)('PresenceService %s', (_name, open) => {
  const presence = useFixture(() => open());
  let sut: PresenceService;
  let realm: PresenceRealm;
  let ann: number;
  let ben: number;

  beforeAll(async () => {
    sut = presence.service;
  });

  beforeEach(async () => {
    realm = await PresenceRealm.create(presence.database);
    [ann = 0, ben = 0] = await realm.addUsers(2);
  });

  const ask = async (request: PresenceRequest): Promise<PresencePicture> =>
    parseAnswer(await sut.report(request));
  const report = (userId: number, different?: Partial<PresenceRequest>) =>
    ask(realm.request(userId, different));
  const poll = (userId: number, lastUpdateId?: number) => ask(realm.poll(userId, lastUpdateId));

  it('shows a report to its author', async () => {
    const reportedAt = nowSeconds();
    const answer = await report(ann, { reportedAt });
    expect(answer).toEqual({
      presence_last_update_id: expect.any(Number),
      server_timestamp: expect.any(Number),
      presences: { [ann]: { active_timestamp: reportedAt, idle_timestamp: reportedAt } },
    });
    expect(answer.presence_last_update_id).toBeGreaterThan(0);
  });

  it('shows the joining date of a user who was never active', async () => {
    const reportedAt = nowSeconds();
    const { presences } = await report(ann, { status: 'idle', reportedAt });
    expect(presences[ann]).toEqual({ active_timestamp: JOINED_AT, idle_timestamp: reportedAt });
  });

  it('shows changes above the cursor, and returns the cursor if there are none', async () => {
    const first = await report(ann);
    const second = await report(ben, { lastUpdateId: first.presence_last_update_id });
    expect(usersIn(second)).toEqual([ben]);
    expect(second.presence_last_update_id).toBeGreaterThan(first.presence_last_update_id);
    const third = await poll(ann, second.presence_last_update_id);
    expect(third.presences).toEqual({});
    expect(third.presence_last_update_id).toBe(second.presence_last_update_id);
  });

  it.each([
    [55, false],
    [56, true],
  ])('treats a report %d seconds after the last one as a change: %s', async (laterS, isChange) => {
    const reportedAt = nowSeconds() - 100;
    const first = await report(ann, { reportedAt });
    const second = await report(ann, {
      reportedAt: reportedAt + laterS,
      lastUpdateId: first.presence_last_update_id,
    });
    expect(usersIn(second)).toEqual(isChange ? [ann] : []);
  });

  it('shows at once that an idle user is active', async () => {
    const reportedAt = nowSeconds() - 10;
    const { presence_last_update_id: cursor } = await report(ann, { status: 'idle', reportedAt });
    await report(ann, { reportedAt: reportedAt + 5 });
    const times = { active_timestamp: reportedAt + 5, idle_timestamp: reportedAt + 5 };
    expect((await poll(ben, cursor)).presences).toEqual({ [ann]: times });
  });

  it('uses the time of the report', async () => {
    const reportedAt = nowSeconds();
    await report(ann, { reportedAt });
    const { presences } = await report(ann, { reportedAt: reportedAt - 500 });
    expect(presences[ann]).toEqual({ active_timestamp: reportedAt, idle_timestamp: reportedAt });
  });

  it('writes nothing for an invisible user, and answers', async () => {
    await report(ben);
    expect(usersIn(await report(ann, { isVisible: false }))).toEqual([ben]);
    expect(usersIn(await poll(ben))).toEqual([ben]);
  });

  it('shows at once that a user has gone invisible, and not as of joining', async () => {
    const at = nowSeconds();
    const { presence_last_update_id: cursor } = await report(ann, { reportedAt: at });
    await sut.changeVisibility(realm.visibility(ann, false, at));
    const { presences } = await poll(ben, cursor);
    expect(presences[ann]?.idle_timestamp).toBe(at - 320);
    expect(presences[ann]?.active_timestamp).toBeLessThan(at - 320);
    expect(presences[ann]?.active_timestamp).toBeGreaterThan(JOINED_AT);
  });

  it('does not show an invisible user again for a report in flight', async () => {
    const at = nowSeconds();
    await report(ann, { reportedAt: at - 60 });
    await sut.changeVisibility(realm.visibility(ann, false, at));
    const { presences } = await report(ann, { reportedAt: at });
    expect(presences[ann]?.idle_timestamp).toBe(at - 320);
  });

  it('shows at once that a user is visible again', async () => {
    const at = nowSeconds();
    await report(ann, { reportedAt: at - 60 });
    await sut.changeVisibility(realm.visibility(ann, false, at - 30));
    const { presence_last_update_id: cursor } = await poll(ben);
    await sut.changeVisibility(realm.visibility(ann, true, at));
    const { presences } = await poll(ben, cursor);
    expect(presences).toEqual({ [ann]: { active_timestamp: at, idle_timestamp: at } });
  });

  it('keeps a user invisible after a restart', async () => {
    const at = nowSeconds();
    await report(ann, { reportedAt: at });
    await sut.changeVisibility(realm.visibility(ann, false, at));
    const { prisma } = presence.database;
    const row = await prisma.userPresence.findUnique({ where: { userId: ann } });
    expect(row?.idleAt).toBe(at - 320);
  });

  it('answers a ping with only the cursor', async () => {
    expect(await report(ann, { pingOnly: true, lastUpdateId: null })).toEqual({
      presence_last_update_id: -1,
    });
    expect(await report(ann, { pingOnly: true, lastUpdateId: 7 })).toEqual({
      presence_last_update_id: 7,
    });
    expect(usersIn(await poll(ben))).toEqual([ann]);
  });

  it('shows nothing if the organisation has disabled presence, but keeps reports', async () => {
    const off = { isRealmPresenceDisabled: true, lastUpdateId: 5 };
    expect(await report(ann, off)).toEqual({
      presence_last_update_id: -1,
      server_timestamp: expect.any(Number),
      presences: {},
    });
    expect(await report(ann, { ...off, pingOnly: true })).toEqual({ presence_last_update_id: -1 });
    expect(usersIn(await poll(ben))).toEqual([ann]);
  });

  it('returns a cursor that is ahead of the server unchanged', async () => {
    const { presence_last_update_id: top } = await report(ann);
    const ahead = await poll(ben, top + 1_000_000);
    expect(ahead).toMatchObject({ presence_last_update_id: top + 1_000_000, presences: {} });
  });

  it('answers -1 to a client without a cursor if there is nothing', async () => {
    const answer = await ask({ ...realm.poll(ann), lastUpdateId: null });
    expect(answer).toMatchObject({ presence_last_update_id: -1, presences: {} });
  });

  describe('the history limit', () => {
    const daysAgo = (days: number): number => nowSeconds() - days * 86_400;

    it.each([
      [null, 13, true],
      [null, 15, false],
      [30, 29, true],
      [1, 2, false],
      [1e300, 15, true],
      [0, 0, false],
      [-5, 0, false],
    ])('with %p days, seen %d days ago: %s', async (historyLimitDays, seen, isShown) => {
      await report(ann, { reportedAt: daysAgo(seen) });
      const answer = await ask({ ...realm.poll(ben), historyLimitDays });
      expect(usersIn(answer)).toEqual(isShown ? [ann] : []);
    });

    it('is ignored for a client with a cursor', async () => {
      const { presence_last_update_id: cursor } = await report(ben);
      await report(ann, { reportedAt: daysAgo(100) });
      const answer = await ask({ ...realm.poll(ben, cursor), historyLimitDays: 0 });
      expect(usersIn(answer)).toEqual([ann]);
    });
  });

  it('answers in the legacy format, by email', async () => {
    const at = nowSeconds();
    await report(ann, { reportedAt: at - 80 });
    await report(ann, { reportedAt: at, status: 'idle' });
    const answer = await report(ben, { reportedAt: at, lastUpdateId: null, format: 'legacy' });
    const legacyEntry = (status: string, timestamp: number) => ({
      aggregated: { client: 'website', status, timestamp },
      website: { client: 'website', status, timestamp, pushable: false },
    });
    expect(answer).toEqual({
      presence_last_update_id: expect.any(Number),
      server_timestamp: expect.any(Number),
      presences: {
        [`person1@realm-${realm.id}`]: legacyEntry('idle', at),
        [`person2@realm-${realm.id}`]: legacyEntry('active', at),
      },
    });
  });

  it('shows bots', async () => {
    const bot = await realm.addUser({ isBot: true });
    await report(bot);
    expect(usersIn(await poll(ann))).toEqual([bot]);
  });

  it('does not show a deactivated user, and shows a reactivated one to all viewers', async () => {
    const setActive = (isActive: boolean) =>
      presence.database.prisma.user.update({ where: { id: ann }, data: { isActive } });
    await report(ann);
    expect(usersIn(await poll(ben))).toEqual([ann]);
    await setActive(false);
    await eventually(async () => {
      presence.passTime(4000);
      expect(usersIn(await poll(ben))).toEqual([]);
    });
    const { presence_last_update_id: cursor } = await report(ben);
    await setActive(true);
    await eventually(async () => {
      presence.passTime(4000);
      expect(usersIn(await poll(ben, cursor))).toEqual([ann]);
    });
  });

  it('loses no user under many concurrent reports', async () => {
    const others = await realm.addUsers(40);
    const { presence_last_update_id: cursor } = await report(ben);
    const storm = others.flatMap((userId) => [userId, userId, userId]);
    const answers = await Promise.all(storm.map((userId) => report(userId)));
    for (const [index, answer] of answers.entries()) {
      expect(usersIn(answer)).toContain(storm[index]);
    }
    expect(usersIn(await poll(ben, cursor))).toEqual(others.toSorted((a, b) => a - b));
  });
});
