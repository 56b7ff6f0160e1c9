import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { addOrganisation, type Person } from '../support/organisation.js';
import { deliveriesTo } from '../support/push-ledger.js';
import { Phone } from '../support/phone.js';
import { startSystem, type System } from '../support/start-system.js';

// Some wait for other processes, on machines that have much else to do.
jest.setTimeout(60_000);

let system: System;
/** A second gateway, beside the one of the system. */
let neighbour: string;

beforeAll(async () => {
  system = await startSystem();
  neighbour = await system.startGateway();
});

afterAll(() => system?.stop());

const regeneratePath = '/users/me/api_key/regenerate';

const someone = async (): Promise<Person> => (await addOrganisation(system)).addPerson();

/** The same person with the key that a regeneration gave. */
async function regenerate(person: Person): Promise<Person> {
  const { status, body } = await person.api.post(regeneratePath);
  expect(status).toBe(200);
  const renewed = { ...person, api_key: String(body['api_key']) };
  return { ...renewed, api: system.api(renewed) };
}

/** The person's client at the second gateway. */
const atNeighbour = (person: Person): ApiClient => system.api(person, neighbour);

const isLetIn = async (api: ApiClient): Promise<boolean> => {
  const reply = await api.post('/users/me/presence', { status: 'idle', ping_only: true });
  if (reply.status === 200) return true;
  expect(reply).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHORIZED', msg: 'Invalid API key' },
  });
  return false;
};

/** Resolves when everything that was promised with a new key has been done. */
const untilLoggedOut = (): Promise<void> =>
  eventually(async () => {
    expect(await system.database.database.prisma.outboxEntry.count()).toBe(0);
  });

describe('POST /users/me/api_key/regenerate', () => {
  it('asks for authentication', async () => {
    expect(await system.anonymous().post(regeneratePath)).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED' },
    });
  });

  it('gives a key that is new, and nothing else', async () => {
    const person = await someone();
    const { body } = await person.api.post(regeneratePath, { anything: 'else' });
    expect(body).toEqual({
      result: 'success',
      msg: '',
      api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      ignored_parameters_unsupported: ['anything'],
    });
    expect(body['api_key']).not.toBe(person.api_key);
  });

  it('has the old key refused everywhere from then on', async () => {
    const person = await someone();
    // Both gateways have the account in memory now.
    expect(await isLetIn(person.api)).toBe(true);
    expect(await isLetIn(atNeighbour(person))).toBe(true);
    const renewed = await regenerate(person);
    expect(await isLetIn(atNeighbour(person))).toBe(false);
    expect(await isLetIn(person.api)).toBe(false);
    expect(await isLetIn(atNeighbour(renewed))).toBe(true);
    expect(await isLetIn(renewed.api)).toBe(true);
  });

  it('never lets an old key in again, however often the key changes', async () => {
    let person = await someone();
    for (let times = 1; times <= 10; times += 1) {
      const old = person;
      person = await regenerate(person);
      const [here, there] = await Promise.all([isLetIn(old.api), isLetIn(atNeighbour(old))]);
      expect({ here, there }).toEqual({ here: false, there: false });
    }
    expect(await isLetIn(person.api)).toBe(true);
  });

  it('stays so when Redis has forgotten everything', async () => {
    const person = await someone();
    await isLetIn(atNeighbour(person));
    await regenerate(person);
    await system.flushRedis();
    expect(await isLetIn(atNeighbour(person))).toBe(false);
    expect(await isLetIn(person.api)).toBe(false);
  });

  it('leaves one valid key when two ask at the same time', async () => {
    const person = await someone();
    const replies = await Promise.all([
      person.api.post(regeneratePath),
      atNeighbour(person).post(regeneratePath),
    ]);
    const keys = replies.flatMap(({ body }) => (body['api_key'] ? [String(body['api_key'])] : []));
    expect(keys.length).toBeGreaterThan(0);
    const lettingIn = await Promise.all(
      keys.map((api_key) => isLetIn(system.api({ ...person, api_key }))),
    );
    expect(lettingIn.filter(Boolean)).toHaveLength(1);
  });

  it.each(['alice_bot', 'guest', 'owner'])('is open to %s', async (name) => {
    const { status, body } = await system.api(name).post(regeneratePath);
    expect(status).toBe(200);
    const renewed = { ...system.user(name), api_key: String(body['api_key']) };
    expect(await isLetIn(system.api(renewed))).toBe(true);
  });

  it('is what a password gives from then on', async () => {
    const { body } = await system.api('moderator').post(regeneratePath);
    const { email: username, password } = system.user('moderator');
    const fetched = await system.anonymous().post('/fetch_api_key', { username, password });
    expect(fetched.body['api_key']).toBe(body['api_key']);
  });
});

describe('The phones of an account with a new key', () => {
  it('are logged out', async () => {
    const person = await someone();
    const phones = [Phone.iphone(), Phone.android()];
    for (const phone of phones) await phone.register(person.api);
    const renewed = await regenerate(person);
    for (const phone of phones) {
      const { token } = phone;
      expect(await renewed.api.post('/mobile_push/test_notification', { token })).toMatchObject({
        status: 400,
        body: { code: 'INVALID_PUSH_DEVICE_TOKEN' },
      });
      expect(await phone.remove(renewed.api)).toMatchObject({
        status: 400,
        body: { msg: 'Token does not exist' },
      });
    }
    expect(await renewed.api.post('/mobile_push/test_notification')).toMatchObject({ status: 200 });
    await untilLoggedOut();
    for (const { token } of phones) {
      expect(await system.sandbox.deliveries({ token })).toEqual([]);
    }
    const left = await system.database.database.prisma.pushDevice.count({
      where: { userId: person.id },
    });
    expect(left).toBe(0);
  });

  it('keep their tokens when they sign in again', async () => {
    const person = await someone();
    const phone = await Phone.iphone().register(person.api);
    const renewed = await regenerate(person);
    // The logout of the old key may still be on its way: it must not take the new registration.
    await phone.register(renewed.api);
    await untilLoggedOut();
    const { token } = phone;
    expect(await renewed.api.post('/mobile_push/test_notification', { token })).toMatchObject({
      status: 200,
    });
    await eventually(async () => expect(await system.sandbox.shownOn(token)).toHaveLength(1));
  });

  it('are registered no more with the old key', async () => {
    const person = await someone();
    await isLetIn(atNeighbour(person));
    await regenerate(person);
    await expect(Phone.android().register(atNeighbour(person))).rejects.toThrow('Invalid API key');
  });

  it('stay with other accounts that are signed in on them', async () => {
    const organisation = await addOrganisation(system);
    const [leaving, staying] = [await organisation.addPerson(), await organisation.addPerson()];
    const phone = Phone.android();
    await phone.register(leaving.api);
    await phone.register(staying.api);
    await regenerate(leaving);
    await untilLoggedOut();
    const { token } = phone;
    expect(await staying.api.post('/mobile_push/test_notification', { token })).toMatchObject({
      status: 200,
    });
    await eventually(async () => expect(await system.sandbox.shownOn(token)).toHaveLength(1));
  });

  it('receive nothing that was accepted for the old key and not sent yet', async () => {
    const person = await someone();
    const phone = await Phone.android().register(person.api);
    await system.sandbox.setMode('fcm', { mode: 'down' });
    try {
      await person.api.post('/mobile_push/test_notification');
      await regenerate(person);
    } finally {
      await system.sandbox.setMode('fcm', { mode: 'ok' });
    }
    await eventually(async () => {
      const pending = await deliveriesTo(system.database.database.prisma, person.id);
      expect(pending.map(({ state }) => state)).toEqual(['revoked']);
    }, 40_000);
    expect(await system.sandbox.shownOn(phone.token)).toEqual([]);
  });
});
