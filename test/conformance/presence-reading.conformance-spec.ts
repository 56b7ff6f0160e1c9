import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import type { PresenceService } from '#presence/rpc';
import { eventually } from '#test/eventually';
import { nowSeconds, PresenceRealm } from '#test/presence-realm';
import { useFixture } from '#test/use-fixture';
import { presenceImplementations } from './presence-implementations.js';

/** The parsed presence of a realm. */
interface RealmReading {
  readonly server_timestamp: number;
  readonly presences: Readonly<Record<string, unknown>>;
}

const SECONDS_PER_DAY = 86_400;

describe.each(presenceImplementations)('PresenceReader %s', (_name, open) => {
  const presence = useFixture(() => open({ limitsAccess: true }));
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

  const viewer = (userId: number, isGuest = false) => ({ realmId: realm.id, userId, isGuest });
  const readUser = (askedUserId: number, asking = viewer(ben)) =>
    sut.readUser({ ...asking, askedUserId });
  const readRealm = async (asking = viewer(ben)): Promise<RealmReading> =>
    JSON.parse(await sut.readRealm(asking)) as RealmReading;
  const emailOf = (person: number) => `person${person}@realm-${realm.id}`;
  const legacyEntry = (status: string, timestamp: number) => ({
    aggregated: { client: 'website', status, timestamp },
    website: { client: 'website', status, timestamp, pushable: false },
  });

  it('returns when a user was seen', async () => {
    const at = nowSeconds();
    await sut.report(realm.request(ann, { reportedAt: at - 80 }));
    await sut.report(realm.request(ann, { reportedAt: at, status: 'idle' }));
    expect(await readUser(ann)).toEqual({ activeAt: at - 80, idleAt: at });
  });

  it('returns a user who was never active', async () => {
    const at = nowSeconds();
    await sut.report(realm.request(ann, { reportedAt: at, status: 'idle' }));
    expect(await readUser(ann)).toEqual({ activeAt: 0, idleAt: at });
  });

  it('returns "unknown" for a user without reports, and for an unknown user', async () => {
    await sut.report(realm.request(ben));
    expect(await readUser(ann)).toBe('unknown');
    expect(await readUser(2_147_483_647)).toBe('unknown');
  });

  it('returns all users in the legacy format', async () => {
    const at = nowSeconds();
    await sut.report(realm.request(ann, { reportedAt: at - 80 }));
    await sut.report(realm.request(ann, { reportedAt: at, status: 'idle' }));
    await sut.report(realm.request(ben, { reportedAt: at }));
    expect(await readRealm()).toEqual({
      server_timestamp: expect.any(Number),
      presences: { [emailOf(1)]: legacyEntry('idle', at), [emailOf(2)]: legacyEntry('active', at) },
    });
  });

  it.each([
    [13, true],
    [15, false],
  ])('shows a user who was seen %d days ago: %s', async (days, isShown) => {
    await sut.report(realm.request(ann, { reportedAt: nowSeconds() - days * SECONDS_PER_DAY }));
    expect(Object.keys((await readRealm()).presences)).toEqual(isShown ? [emailOf(1)] : []);
  });

  it('does not show a deactivated user', async () => {
    await sut.report(realm.request(ann));
    expect(Object.keys((await readRealm()).presences)).toEqual([emailOf(1)]);
    await presence.database.prisma.user.update({ where: { id: ann }, data: { isActive: false } });
    await eventually(async () => {
      presence.passTime(4000);
      expect((await readRealm()).presences).toEqual({});
    });
  });

  it('answers for a realm without reports', async () => {
    expect(await readRealm()).toEqual({ server_timestamp: expect.any(Number), presences: {} });
  });

  it('answers bots', async () => {
    const bot = await realm.addUser({ isBot: true });
    await sut.report(realm.request(ann));
    expect(Object.keys((await readRealm(viewer(bot))).presences)).toEqual([emailOf(1)]);
  });

  it('returns to a limited guest only users who share something', async () => {
    const { prisma } = presence.database;
    const guest = await realm.addUser({ role: roles.guest });
    const group = await prisma.userGroup.create({ data: { realmId: realm.id, name: 'members' } });
    await prisma.realm.update({
      where: { id: realm.id },
      data: { canAccessAllUsersGroupId: group.id },
    });
    const channel = await prisma.channel.create({ data: { realmId: realm.id, name: 'shared' } });
    await prisma.subscription.createMany({
      data: [guest, ann].map((userId) => ({ channelId: channel.id, userId })),
    });
    for (const userId of [ann, ben, guest]) await sut.report(realm.request(userId));
    const asGuest = viewer(guest, true);
    expect(Object.keys((await readRealm(asGuest)).presences).toSorted()).toEqual([
      emailOf(1),
      emailOf(3),
    ]);
    expect(await readUser(ann, asGuest)).toEqual(expect.objectContaining({}));
    expect(await readUser(guest, asGuest)).toEqual(expect.objectContaining({}));
    expect(await readUser(ben, asGuest)).toBe('notAllowed');
    expect(await readUser(ben, viewer(ann))).toEqual(expect.objectContaining({}));
  });
});
