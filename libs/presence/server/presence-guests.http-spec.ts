import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest } from '#test/answers';
import { countStatements } from '#test/count-statements';
import type { Person } from '#test/organisation';
import { PresenceGateway } from '#test/presence-gateway';
import { nowSeconds } from '#test/presence-realm';
import { presencePathOf, PresenceReaders } from '#test/presence-reading-people';

let gateway: PresenceGateway;
let readers: PresenceReaders;
/** Known to the guest. */
let ann: Person;
/** Not known to the guest. */
let ben: Person;
let guest: Person;

const noSuchUser = badRequest('No such user');
const substituteOf = ({ id, host }: Person): string => `user${id}@${host}`;

/** A guest who cannot see one of two people; PostgreSQL has the last seen of all. */
async function enterGuest(): Promise<void> {
  readers = await PresenceReaders.in(gateway.system);
  ({ ann, ben } = readers);
  guest = await readers.organisation.addPerson({ role: roles.guest });
  await readers.limitGuests();
  await readers.shareChannel(guest, ann);
}

const addressesReadBy = async (reader: Person): Promise<string[]> => {
  const { body } = await reader.api.get('/realm/presence');
  return Object.keys(body['presences'] as object).toSorted();
};

const addressesReportedTo = async (reader: Person): Promise<string[]> => {
  const { body } = await reader.api.post('/users/me/presence', { status: 'active' });
  return Object.keys(body['presences'] as object).toSorted();
};

/** The lookup of a hidden user, by presence or by PostgreSQL. */
function findsByWhatIsShown(): void {
  it('finds no user by an address that is hidden from the guest', async () => {
    for (const email of [ben.email, ben.email.toUpperCase()]) {
      expect(await guest.api.get(presencePathOf(email))).toMatchObject(noSuchUser);
    }
  });

  it('finds no user by the substitute address of a visible user or of an unknown one', async () => {
    const elsewhere = (await PresenceReaders.in(gateway.system)).ann;
    for (const email of [
      substituteOf(ann),
      substituteOf(guest),
      `user2147483647@${guest.host}`,
      `user99999999999@${guest.host}`,
      `user${elsewhere.id}@${guest.host}`,
      `user${ben.id}@elsewhere.example.org`,
    ]) {
      expect(await guest.api.get(presencePathOf(email))).toMatchObject(noSuchUser);
    }
    expect(await ann.api.get(presencePathOf(substituteOf(ben)))).toMatchObject(noSuchUser);
  });

  it('finds visible users by their addresses', async () => {
    for (const { email } of [ann, guest]) {
      expect((await guest.api.get(presencePathOf(email))).status).toBe(200);
    }
    expect((await ann.api.get(presencePathOf(ben.email))).status).toBe(200);
  });
}

describe('A guest who cannot see a user, if the server does not limit presence', () => {
  beforeAll(async () => {
    gateway = await PresenceGateway.start(1000);
    await gateway.bringPresence(false);
  });
  afterAll(() => gateway.stop());

  beforeEach(async () => {
    await enterGuest();
    for (const person of [ann, ben, guest]) {
      await person.api.post('/users/me/presence', { status: 'active', ping_only: true });
    }
  });

  it('sees that user by the substitute address, and others by their addresses', async () => {
    const received = [ann.email, substituteOf(ben), guest.email].toSorted();
    expect(await addressesReadBy(guest)).toEqual(received);
    expect(await addressesReportedTo(guest)).toEqual(received);
  });

  it('sees the same times as everyone else', async () => {
    const { body: toAnn } = await ann.api.get('/realm/presence');
    const { body: toGuest } = await guest.api.get('/realm/presence');
    const of = (body: typeof toAnn, email: string) =>
      (body['presences'] as Record<string, unknown>)[email];
    expect(of(toGuest, substituteOf(ben))).toEqual(of(toAnn, ben.email));
    expect(of(toGuest, substituteOf(ben))).toBeDefined();
  });

  it('sees that user by id in the modern format', async () => {
    const report = { status: 'active', last_update_id: -1 };
    const { body } = await guest.api.post('/users/me/presence', report);
    expect(Object.keys(body['presences'] as object)).toEqual(
      [ann, ben, guest].map(({ id }) => `${id}`),
    );
  });

  it('does not affect the addresses that others see', async () => {
    const received = [ann, ben, guest].map(({ email }) => email).toSorted();
    await addressesReadBy(guest);
    expect(await addressesReadBy(ann)).toEqual(received);
    expect(await addressesReportedTo(ann)).toEqual(received);
  });

  it('finds that user by id and by the substitute address in any case', async () => {
    for (const name of [ben.id, substituteOf(ben), substituteOf(ben).toUpperCase()]) {
      expect((await guest.api.get(presencePathOf(name))).body['presence']).toMatchObject({
        aggregated: { status: 'active' },
      });
    }
  });

  findsByWhatIsShown();

  it('costs others no statement', async () => {
    for (const [path, most] of [
      [presencePathOf(ben.id), 1],
      [presencePathOf(ben.email), 1],
      ['/realm/presence', 0],
    ] as const) {
      await ann.api.get(path);
      expect(await countStatements(() => ann.api.get(path))).toBe(most);
    }
  });
});

describe('A guest who cannot see a user, while the presence program is unavailable', () => {
  beforeAll(async () => {
    gateway = await PresenceGateway.start(50);
  });
  afterAll(() => gateway.stop());

  beforeEach(async () => {
    await enterGuest();
    for (const person of [ann, ben, guest]) {
      await readers.organisation.lastSeen(person, nowSeconds());
    }
  });

  it('does not see that user', async () => {
    expect(await addressesReadBy(guest)).toEqual([ann.email, guest.email].toSorted());
    expect(await addressesReportedTo(guest)).toEqual([]);
  });

  it('is refused that user by id and by the substitute address', async () => {
    for (const name of [ben.id, substituteOf(ben)]) {
      expect(await guest.api.get(presencePathOf(name))).toMatchObject(
        badRequest('Insufficient permission'),
      );
    }
  });

  findsByWhatIsShown();
});
