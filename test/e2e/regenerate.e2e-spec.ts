import { beforeAll, describe, expect, it } from '@jest/globals';
import { notSignedIn, success } from '#test/answers';
import type { ApiClient } from '#test/api-client';
import { eventually } from '#test/eventually';
import { addOrganisation, type Person } from '#test/organisation';
import { deliveriesTo } from '#test/push-ledger';
import { Phone } from '#test/phone';
import { useSystem } from '#test/use-system';

const system = useSystem();
/** The address of a second gateway. */
let secondGateway: string;

beforeAll(async () => {
  secondGateway = await system.startGateway();
});

const regeneratePath = '/users/me/api_key/regenerate';

const newPerson = async (): Promise<Person> => (await addOrganisation(system)).addPerson();

/** Replaces the API key of a person; resolves with the person and the new key. */
async function regenerate(person: Person): Promise<Person> {
  const { status, body } = await person.api.post(regeneratePath);
  expect(status).toBe(200);
  const renewed = { ...person, api_key: String(body['api_key']) };
  return { ...renewed, api: system.api(renewed) };
}

/** The person's client at the second gateway. */
const atSecondGateway = (person: Person): ApiClient => system.api(person, secondGateway);

const isAccepted = async (api: ApiClient): Promise<boolean> => {
  const reply = await api.post('/users/me/presence', { status: 'idle', ping_only: true });
  if (reply.status === 200) return true;
  expect(reply).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHORIZED', msg: 'Invalid API key' },
  });
  return false;
};

/** Resolves when all logouts in the outbox have been processed. */
const untilLoggedOut = (): Promise<void> =>
  eventually(async () => {
    expect(await system.database.database.prisma.outboxEntry.count()).toBe(0);
  });

describe('POST /users/me/api_key/regenerate', () => {
  it('requires a sign-in', async () => {
    expect(await system.anonymous().post(regeneratePath)).toMatchObject(notSignedIn);
  });

  it('returns only a new key', async () => {
    const person = await newPerson();
    const { body } = await person.api.post(regeneratePath, { anything: 'else' });
    expect(body).toEqual({
      result: 'success',
      msg: '',
      api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      ignored_parameters_unsupported: ['anything'],
    });
    expect(body['api_key']).not.toBe(person.api_key);
  });

  it('invalidates the old key at every gateway', async () => {
    const person = await newPerson();
    // Both gateways have cached the account now.
    expect(await isAccepted(person.api)).toBe(true);
    expect(await isAccepted(atSecondGateway(person))).toBe(true);
    const renewed = await regenerate(person);
    expect(await isAccepted(atSecondGateway(person))).toBe(false);
    expect(await isAccepted(person.api)).toBe(false);
    expect(await isAccepted(atSecondGateway(renewed))).toBe(true);
    expect(await isAccepted(renewed.api)).toBe(true);
  });

  it('never accepts an old key again after many changes', async () => {
    let person = await newPerson();
    for (let times = 1; times <= 10; times += 1) {
      const old = person;
      person = await regenerate(person);
      const [here, there] = await Promise.all([
        isAccepted(old.api),
        isAccepted(atSecondGateway(old)),
      ]);
      expect({ here, there }).toEqual({ here: false, there: false });
    }
    expect(await isAccepted(person.api)).toBe(true);
  });

  it('keeps the old key invalid after a loss of Redis', async () => {
    const person = await newPerson();
    await isAccepted(atSecondGateway(person));
    await regenerate(person);
    await system.flushRedis();
    expect(await isAccepted(atSecondGateway(person))).toBe(false);
    expect(await isAccepted(person.api)).toBe(false);
  });

  it('leaves one valid key after concurrent requests', async () => {
    const person = await newPerson();
    const replies = await Promise.all([
      person.api.post(regeneratePath),
      atSecondGateway(person).post(regeneratePath),
    ]);
    const keys = replies.flatMap(({ body }) => (body['api_key'] ? [String(body['api_key'])] : []));
    expect(keys.length).toBeGreaterThan(0);
    const accepted = await Promise.all(
      keys.map((api_key) => isAccepted(system.api({ ...person, api_key }))),
    );
    expect(accepted.filter(Boolean)).toHaveLength(1);
  });

  it.each(['alice_bot', 'guest', 'owner'])('is allowed for %s', async (name) => {
    const { status, body } = await system.api(name).post(regeneratePath);
    expect(status).toBe(200);
    const renewed = { ...system.user(name), api_key: String(body['api_key']) };
    expect(await isAccepted(system.api(renewed))).toBe(true);
  });

  it('makes /fetch_api_key return the new key', async () => {
    const { body } = await system.api('moderator').post(regeneratePath);
    const { email: username, password } = system.user('moderator');
    const fetched = await system.anonymous().post('/fetch_api_key', { username, password });
    expect(fetched.body['api_key']).toBe(body['api_key']);
  });
});

describe('The phones of an account with a new key', () => {
  it('are logged out', async () => {
    const person = await newPerson();
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

  it('keep their tokens after a new sign-in', async () => {
    const person = await newPerson();
    const phone = await Phone.iphone().register(person.api);
    const renewed = await regenerate(person);
    // The logout of the old key may be pending: it must not remove the new registration.
    await phone.register(renewed.api);
    await untilLoggedOut();
    const { token } = phone;
    expect(await renewed.api.post('/mobile_push/test_notification', { token })).toMatchObject(
      success,
    );
    await eventually(async () => expect(await system.sandbox.shownOn(token)).toHaveLength(1));
  });

  it('cannot be registered with the old key', async () => {
    const person = await newPerson();
    await isAccepted(atSecondGateway(person));
    await regenerate(person);
    await expect(Phone.android().register(atSecondGateway(person))).rejects.toThrow(
      'Invalid API key',
    );
  });

  it('stay registered for their other accounts', async () => {
    const organisation = await addOrganisation(system);
    const [leaving, staying] = [await organisation.addPerson(), await organisation.addPerson()];
    const phone = Phone.android();
    await phone.register(leaving.api);
    await phone.register(staying.api);
    await regenerate(leaving);
    await untilLoggedOut();
    const { token } = phone;
    expect(await staying.api.post('/mobile_push/test_notification', { token })).toMatchObject(
      success,
    );
    await eventually(async () => expect(await system.sandbox.shownOn(token)).toHaveLength(1));
  });

  it('receive no unsent notifications of the old key', async () => {
    const person = await newPerson();
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
