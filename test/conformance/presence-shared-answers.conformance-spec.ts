import { beforeAll, describe, expect, it } from '@jest/globals';
import { bodyEncodings } from '#platform/contracts';
import type { PresenceRequest, PresenceService } from '#presence/rpc';
import { eventually } from '#test/eventually';
import {
  nowSeconds,
  parseAnswer,
  type PresencePicture,
  PresenceRealm,
  usersIn,
} from '#test/presence-realm';
import { useFixture } from '#test/use-fixture';
import { presenceImplementations } from './presence-implementations.js';

/** More users than an unshared answer may have. */
const PEOPLE = 120;

describe.each(presenceImplementations)('PresenceService %s, with many users', (_name, open) => {
  const presence = useFixture(() => open({ limitsAccess: true }));
  let sut: PresenceService;
  let realm: PresenceRealm;
  let people: number[];
  let ann: number;
  let guest: number;
  let ben: number;

  beforeAll(async () => {
    sut = presence.service;
    realm = await PresenceRealm.create(presence.database);
    people = await realm.addUsers(PEOPLE);
    [ann = 0, guest = 0, ben = 0] = people;
    const { prisma } = presence.database;
    const members = await prisma.userGroup.create({ data: { realmId: realm.id, name: 'members' } });
    await prisma.realm.update({
      where: { id: realm.id },
      data: { canAccessAllUsersGroupId: members.id },
    });
    const reportedAt = nowSeconds() - 1000;
    await Promise.all(people.map((userId) => sut.report(realm.request(userId, { reportedAt }))));
    letBodiesAge();
  });

  /** Waits until no shared answer is reused. */
  const letBodiesAge = (): void => {
    presence.passTime(1000);
  };
  const ask = async (request: PresenceRequest): Promise<PresencePicture> =>
    parseAnswer(await sut.report(request));

  it.each([...bodyEncodings, null])('answers in %s', async (encoding) => {
    const answer = await sut.report({ ...realm.poll(ann), encoding });
    expect(typeof answer === 'string' ? null : answer.encoding).toBe(encoding);
    const picture = parseAnswer(answer);
    expect(usersIn(picture)).toEqual(people);
    const envelope = encoding === null ? {} : { result: 'success', msg: '' };
    expect(picture).toEqual({
      ...envelope,
      presence_last_update_id: expect.any(Number),
      server_timestamp: expect.any(Number),
      presences: expect.any(Object),
    });
    expect(parseAnswer(await sut.report(realm.poll(ann))).presences).toEqual(picture.presences);
  });

  it.each([...bodyEncodings, null])('answers in the legacy format in %s', async (encoding) => {
    const poll = { ...realm.poll(ann), format: 'legacy', lastUpdateId: null, encoding } as const;
    const { presences } = await ask(poll);
    const addresses = people.map((_userId, index) => `person${index + 1}@realm-${realm.id}`);
    expect(Object.keys(presences).toSorted()).toEqual(addresses.toSorted());
  });

  it('answers with few entries as text, for any accepted encoding', async () => {
    const { presence_last_update_id: cursor } = await ask(realm.poll(ann));
    for (const encoding of bodyEncodings) {
      const answer = await sut.report({ ...realm.poll(ann, cursor), encoding });
      expect(answer).toEqual(expect.any(String));
      expect(parseAnswer(answer)).toMatchObject({ presence_last_update_id: cursor, presences: {} });
    }
  });

  it.each([...bodyEncodings, null])(
    'misses nothing between answers that are shared, in %s',
    async (encoding) => {
      letBodiesAge();
      const first = await ask({ ...realm.poll(ann), encoding });
      await sut.changeVisibility(realm.visibility(guest, false));
      const shared = await ask({ ...realm.poll(ben), encoding });
      expect(shared).toEqual(first);
      const { presence_last_update_id: cursor } = shared;
      // An invisible user is hidden at once; the cursor moves when Redis has the change.
      const next = await eventually(async () => {
        const answer = await ask({ ...realm.poll(ben, cursor), encoding });
        expect(answer.presence_last_update_id).toBeGreaterThan(cursor);
        return answer;
      });
      expect(usersIn(next)).toEqual([guest]);
      letBodiesAge();
      const fresh = await ask({ ...realm.poll(ann), encoding });
      expect(fresh.presences).toEqual({ ...first.presences, ...next.presences });
    },
  );

  it('returns many changes above a cursor, once', async () => {
    letBodiesAge();
    const { presence_last_update_id: cursor } = await ask(realm.poll(ann));
    const reportedAt = nowSeconds();
    await Promise.all(
      people.map((userId) => sut.report({ ...realm.request(userId, { reportedAt }) })),
    );
    letBodiesAge();
    const delta = await ask({ ...realm.poll(ann, cursor), encoding: 'br' });
    expect(usersIn(delta)).toEqual(people);
    const again = await ask({ ...realm.poll(ann, delta.presence_last_update_id), encoding: 'br' });
    expect(again.presences).toEqual({});
  });

  it('shows a guest with limits no shared answer', async () => {
    const poll = { ...realm.poll(guest), isGuest: true, encoding: 'gzip' } as const;
    await ask({ ...realm.poll(ann), encoding: 'gzip' });
    expect(usersIn(await ask(poll))).toEqual([guest]);
  });
});
