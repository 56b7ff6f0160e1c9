import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#contracts';
import { PresenceRuntime, PresenceServer } from '#presence';
import { badRequest } from '../support/answers.js';
import { countStatements } from '../support/count-statements.js';
import { eventually } from '../support/eventually.js';
import { freePorts } from '../support/free-ports.js';
import { addOrganisation, type Organisation, type Person } from '../support/organisation.js';
import { nowSeconds } from '../support/presence-realm.js';
import { startGateway } from '../support/start-gateway.js';
import type { System } from '../support/start-system.js';

const HOST = '127.0.0.1';
const DAY = 86_400;

let system: System;
let port: number;
let organisation: Organisation;
let ann: Person;
let ben: Person;

beforeAll(async () => {
  [port = 0] = await freePorts(1);
  system = await startGateway({
    PRESENCE_ADDRESSES: `${HOST}:${port}`,
    PRESENCE_DEADLINE_MS: '1000',
    PRESENCE_OFFLINE_SECONDS: '300',
  });
}, 30_000);
afterAll(() => system.stop());

beforeEach(async () => {
  organisation = await addOrganisation(system);
  ann = await organisation.addPerson();
  ben = await organisation.addPerson();
});

const pathOf = (user: number | string) => `/users/${user}/presence`;
const told = (status: string, timestamp: number) => ({
  aggregated: { client: 'website', status, timestamp },
  website: { client: 'website', status, timestamp, pushable: false },
});

/** Lets PostgreSQL know of somebody as the write-behind would. */
async function lastSeen(person: Person, activeAt: number | null, idleAt: number): Promise<void> {
  await system.database.database.prisma.userPresence.create({
    data: { userId: person.id, realmId: organisation.id, activeAt, idleAt, updateId: 1 },
  });
}

/** Has guests of the organisation see only those with whom they share something. */
async function limitGuests(): Promise<void> {
  const { prisma } = system.database.database;
  const group = await prisma.userGroup.create({
    data: { realmId: organisation.id, name: 'those who see everyone' },
  });
  await prisma.realm.update({
    where: { id: organisation.id },
    data: { canAccessAllUsersGroupId: group.id },
  });
}

async function shareChannel(...people: Person[]): Promise<void> {
  const { prisma } = system.database.database;
  const channel = await prisma.channel.create({
    data: { realmId: organisation.id, name: 'shared' },
  });
  await prisma.subscription.createMany({
    data: people.map(({ id }) => ({ channelId: channel.id, userId: id })),
  });
}

/** What both ways to an answer have in common; `seen` makes it known that somebody was there at that moment. */
function behaviours(seen: (person: Person, at: number) => Promise<unknown>): void {
  it('tells of a user by id and by address, whatever its case', async () => {
    const at = nowSeconds();
    await seen(ann, at);
    const presence = {
      website: { status: 'active', timestamp: at },
      aggregated: { status: 'active', timestamp: at },
    };
    for (const name of [ann.id, ann.email, ann.email.toUpperCase()]) {
      expect((await ben.api.get(pathOf(name))).body).toEqual({
        result: 'success',
        msg: '',
        presence,
      });
    }
  });

  it.each([
    ['the longest address', `${'l'.repeat(64)}@${'d'.repeat(186)}.ex`],
    ['an odd address', `o'brien+a/b%25"c"&=?#é@example.org`],
  ])('tells of a user by %s', async (_what, email) => {
    await seen(ann, nowSeconds());
    await system.database.database.prisma.user.update({ where: { id: ann.id }, data: { email } });
    expect((await ben.api.get(pathOf(encodeURIComponent(email)))).status).toBe(200);
  });

  it('says that somebody is offline by the threshold of the installation', async () => {
    const at = nowSeconds() - 310;
    await seen(ann, at);
    await seen(ben, at + 30);
    expect((await ann.api.get(pathOf(ann.id))).body['presence']).toEqual({
      website: { status: 'active', timestamp: at },
      aggregated: { status: 'offline', timestamp: at },
    });
    expect((await ann.api.get(pathOf(ben.id))).body['presence']).toMatchObject({
      aggregated: { status: 'active', timestamp: at + 30 },
    });
  });

  it('has nothing to say of who has never reported, and says whom it was asked of', async () => {
    for (const name of [ann.id, ann.email]) {
      expect(await ben.api.get(pathOf(name))).toMatchObject(
        badRequest(`No presence data for ${name}`),
      );
    }
  });

  it('tells people and bots of everyone who was seen in the last 14 days', async () => {
    const at = nowSeconds();
    const gone = await organisation.addPerson();
    await seen(ann, at);
    await seen(ben, at - 13 * DAY);
    await seen(gone, at - 15 * DAY);
    const bot = await organisation.addPerson({ isBot: true });
    for (const reader of [ann, bot]) {
      expect((await reader.api.get('/realm/presence')).body).toEqual({
        result: 'success',
        msg: '',
        server_timestamp: expect.any(Number),
        presences: {
          [ann.email]: told('active', at),
          [ben.email]: told('active', at - 13 * DAY),
        },
      });
    }
  });

  it('tells a guest who is limited only of those who share something', async () => {
    const guest = await organisation.addPerson({ role: roles.guest });
    for (const person of [ann, ben, guest]) await seen(person, nowSeconds());
    await limitGuests();
    await shareChannel(guest, ann);
    const { body } = await guest.api.get('/realm/presence');
    expect(Object.keys(body['presences'] as object).toSorted()).toEqual(
      [ann.email, guest.email].toSorted(),
    );
    expect((await guest.api.get(pathOf(ann.id))).status).toBe(200);
    expect((await guest.api.get(pathOf(guest.id))).status).toBe(200);
    expect(await guest.api.get(pathOf(ben.id))).toMatchObject(
      badRequest('Insufficient permission'),
    );
    expect((await ann.api.get(pathOf(ben.id))).status).toBe(200);
  });

  it('limits no guests where the organisation lets them know of everyone', async () => {
    const guest = await organisation.addPerson({ role: roles.guest });
    await seen(ann, nowSeconds());
    expect((await guest.api.get(pathOf(ann.id))).status).toBe(200);
  });
}

describe('Reading presence while the presence program is away', () => {
  behaviours((person, at) => lastSeen(person, at, at));

  it('tells what PostgreSQL knows of who was never active', async () => {
    const at = nowSeconds();
    await lastSeen(ann, null, at);
    expect((await ben.api.get(pathOf(ann.id))).body['presence']).toMatchObject({
      website: { status: 'idle', timestamp: at },
    });
    expect((await ben.api.get('/realm/presence')).body['presences']).toEqual({
      [ann.email]: told('idle', at),
    });
  });

  it('needs two statements for a user, and one for everyone', async () => {
    await lastSeen(ann, nowSeconds(), nowSeconds());
    for (const [path, most] of [
      [pathOf(ann.id), 2],
      ['/realm/presence', 1],
    ] as const) {
      await ben.api.get(path);
      expect(await countStatements(() => ben.api.get(path))).toBe(most);
    }
  });
});

describe('Reading presence', () => {
  let runtime: PresenceRuntime;
  let server: PresenceServer;

  beforeAll(async () => {
    runtime = new PresenceRuntime(system.database.database, {
      redisUrl: system.environmentOf('presence')['REDIS_URL'] ?? '',
      batchMs: 1,
      flushSeconds: 600,
      limitsAccess: true,
    });
    await runtime.start();
    server = new PresenceServer(runtime.service);
    await server.listen({ host: HOST, port });
    const alice = system.api('alice');
    await eventually(async () => {
      const { body } = await alice.post('/users/me/presence', { status: 'active' });
      expect(body['presences']).not.toEqual({});
    });
  });
  afterAll(async () => {
    await server.close();
    await runtime.stop();
  });

  behaviours((person, at) =>
    runtime.service.report({
      realmId: organisation.id,
      userId: person.id,
      joinedAt: 1,
      status: 'active',
      reportedAt: at,
      isVisible: true,
      isGuest: false,
      isRealmPresenceDisabled: false,
      pingOnly: true,
      hasNewInput: false,
      lastUpdateId: null,
      historyLimitDays: null,
      format: 'modern',
      encoding: null,
    }),
  );

  it('tells of a report at once', async () => {
    await ann.api.post('/users/me/presence', { status: 'idle' });
    expect((await ben.api.get(pathOf(ann.id))).body['presence']).toMatchObject({
      aggregated: { status: 'idle' },
    });
  });

  it('shows who has gone invisible as offline', async () => {
    await ann.api.post('/users/me/presence', { status: 'active' });
    await ann.api.patch('/settings', { presence_enabled: false });
    expect((await ben.api.get(pathOf(ann.id))).body['presence']).toMatchObject({
      website: { status: 'idle' },
      aggregated: { status: 'offline' },
    });
  });

  it('needs one statement for a user, and none for everyone', async () => {
    await ann.api.post('/users/me/presence', { status: 'active' });
    for (const [path, most] of [
      [pathOf(ann.id), 1],
      ['/realm/presence', 0],
    ] as const) {
      await ben.api.get(path);
      expect(await countStatements(() => ben.api.get(path))).toBe(most);
    }
  });

  describe('of whom there is none to be told', () => {
    const noSuchUser = badRequest('No such user');

    it('refuses what is no account', async () => {
      for (const name of [
        'nobody@example.org',
        '2147483647',
        '99999999999999999999',
        '-1',
        '%00',
      ]) {
        expect(await ann.api.get(pathOf(name))).toMatchObject({ status: 400 });
      }
      expect(await ann.api.get(pathOf('nobody@example.org'))).toMatchObject(noSuchUser);
      expect(await ann.api.get(pathOf('99999999999999999999'))).toMatchObject(noSuchUser);
    });

    it('refuses an account of another organisation, and a deactivated one', async () => {
      const elsewhere = await (await addOrganisation(system)).addPerson();
      const former = await organisation.addPerson({ isActive: false });
      for (const { id, email } of [elsewhere, former]) {
        for (const name of [id, email]) {
          expect(await ann.api.get(pathOf(name))).toMatchObject(noSuchUser);
        }
      }
    });

    it('refuses an address that others do not see, to administrators too', async () => {
      const administrator = await organisation.addPerson({ role: roles.administrator });
      const email = `user${ben.id}@${ben.host}`;
      const { prisma } = system.database.database;
      await prisma.user.update({ where: { id: ben.id }, data: { email } });
      for (const reader of [ann, administrator]) {
        expect(await reader.api.get(pathOf(ben.email))).toMatchObject(noSuchUser);
        expect(await reader.api.get(pathOf(email))).toMatchObject(
          badRequest(`No presence data for ${email}`),
        );
      }
    });

    it('refuses a bot', async () => {
      const bot = await organisation.addPerson({ isBot: true });
      expect(await ann.api.get(pathOf(bot.id))).toMatchObject(
        badRequest('Presence is not supported for bot users.'),
      );
    });
  });

  it('shows nobody where the organisation has switched presence off', async () => {
    organisation = await addOrganisation(system, { isPresenceDisabled: true });
    const eve = await organisation.addPerson();
    await eve.api.post('/users/me/presence', { status: 'active' });
    expect((await eve.api.get('/realm/presence')).body).toEqual({
      result: 'success',
      msg: '',
      server_timestamp: expect.any(Number),
      presences: {},
    });
    expect(await eve.api.get(pathOf(eve.id))).toMatchObject(
      badRequest(`No presence data for ${eve.id}`),
    );
  });

  it('asks for authentication', async () => {
    for (const path of ['/realm/presence', pathOf(ann.id)]) {
      expect((await system.anonymous().get(path)).status).toBe(401);
    }
  });
});
