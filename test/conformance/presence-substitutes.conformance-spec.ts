import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { bodyEncodings } from '#platform/contracts';
import type { PresenceService } from '#presence/rpc';
import { parseAnswer, PresenceRealm } from '#test/presence-realm';
import { useFixture } from '#test/use-fixture';
import { presenceImplementations } from './presence-implementations.js';

const HOST = 'chat.example.org';

// Answers with few users are built per viewer; answers with many users are shared by members.
describe.each(
  presenceImplementations.flatMap(([name, open]) =>
    [3, 120].map((people) => [name, people, open] as const),
  ),
)('PresenceService %s, with %d people and guests who cannot see everyone', (_name, count, open) => {
  const presence = useFixture(() => open({ limitsAccess: false }));
  let sut: PresenceService;
  let realm: PresenceRealm;
  let ann: number;
  let guest: number;
  let addresses: string[];
  let substitutes: string[];

  beforeAll(async () => {
    sut = presence.service;
    realm = await PresenceRealm.create(presence.database);
    const members = await realm.addUsers(count);
    [ann = 0] = members;
    guest = await realm.addUser({ role: roles.guest });
    const { prisma } = presence.database;
    const group = await prisma.userGroup.create({ data: { realmId: realm.id, name: 'members' } });
    await prisma.realm.update({
      where: { id: realm.id },
      data: { canAccessAllUsersGroupId: group.id },
    });
    const people = [...members, guest];
    await Promise.all(people.map((userId) => sut.report(realm.request(userId))));
    addresses = people.map((_userId, index) => `person${index + 1}@realm-${realm.id}`).toSorted();
    const emailOfGuest = `person${people.length}@realm-${realm.id}`;
    substitutes = [...members.map((userId) => `user${userId}@${HOST}`), emailOfGuest].toSorted();
    presence.passTime(1000);
  });

  const legacy = { format: 'legacy', lastUpdateId: null } as const;
  const asGuest = { isGuest: true, substituteHost: HOST };
  const addressesIn = (presences: object) => Object.keys(presences).toSorted();

  it.each([...bodyEncodings, null])(
    'shows each user by the address that the viewer may see, in turn and in %s',
    async (encoding) => {
      const ask = async (userId: number, different: object) => {
        const request = { ...realm.poll(userId), ...legacy, encoding, ...different };
        return addressesIn(parseAnswer(await sut.report(request)).presences);
      };
      for (let turn = 0; turn < 2; turn += 1) {
        expect(await ask(ann, {})).toEqual(addresses);
        expect(await ask(guest, asGuest)).toEqual(substitutes);
      }
      expect(await Promise.all([ask(guest, asGuest), ask(ann, {}), ask(guest, asGuest)])).toEqual([
        substitutes,
        addresses,
        substitutes,
      ]);
    },
  );

  it('hides other users from a guest without a host, as from a gateway of an older release', async () => {
    const request = { ...realm.poll(guest), ...legacy, isGuest: true };
    expect(addressesIn(parseAnswer(await sut.report(request)).presences)).toEqual([
      `person${count + 1}@realm-${realm.id}`,
    ]);
  });

  it('returns all users in a read', async () => {
    const read = async (viewer: object, userId: number) =>
      addressesIn(
        JSON.parse(await sut.readRealm({ realmId: realm.id, userId, isGuest: false, ...viewer }))
          .presences,
      );
    expect(await read({}, ann)).toEqual(addresses);
    expect(await read(asGuest, guest)).toEqual(substitutes);
  });

  it('returns to a guest when any user was seen', async () => {
    const question = { realmId: realm.id, userId: guest, ...asGuest, askedUserId: ann };
    expect(await sut.readUser(question)).toEqual(expect.objectContaining({}));
  });
});
