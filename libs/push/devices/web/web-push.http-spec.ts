import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConfirmationTokens } from '#push/devices';
import { success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { addVapidKey, newSubscription } from '#test/web-push-client';

const PATH = '/users/me/web_push_subscription';

const secret = Buffer.alloc(32, 'web push');
const system = useGateway({
  PUSH_KEY_SECRET: secret.toString('base64'),
  WEB_PUSH_HOSTS: 'fcm.googleapis.com',
});
let organisation: Organisation;
let person: Person;
let vapidKey: string;

beforeEach(async () => {
  vapidKey = await addVapidKey(system.database.database);
  organisation = await addOrganisation(system);
  person = await organisation.addPerson();
});

const prisma = () => system.database.database.prisma;
const register = (fields: object = {}, by = person) =>
  by.api.post(PATH, { ...newSubscription(vapidKey), ...fields });
const idOf = ({ body }: Awaited<ReturnType<typeof register>>) => Number(body['subscription_id']);
const list = async (by = person) =>
  (await by.api.get('/users/me/web_push_subscriptions')).body['web_push_subscriptions'];

/** The token that was sent to a subscription. */
async function tokenOf(id: number): Promise<string> {
  const { confirmation } = await prisma().webPushSubscription.findUniqueOrThrow({ where: { id } });
  return new ConfirmationTokens(secret).open(confirmation);
}

const confirm = async (id: number, token?: string, by = person) =>
  by.api.post(`${PATH}/confirm`, {
    subscription_id: id,
    confirmation_token: token ?? (await tokenOf(id)),
  });

async function subscribe(by = person): Promise<number> {
  const id = idOf(await register({}, by));
  expect(await confirm(id, undefined, by)).toMatchObject(success);
  return id;
}

const refusedWith = (code: string) => ({ status: 400, body: { result: 'error', code } });

describe(`POST ${PATH}`, () => {
  it('accepts one confirmation, and no more before it is confirmed', async () => {
    const reply = await register();
    expect(reply).toMatchObject({ status: 200, body: { state: 'pending' } });
    const notifications = await prisma().pushNotification.findMany({
      where: { userId: person.id },
    });
    expect(notifications).toMatchObject([{ kind: 'confirm', content: { kind: 'confirm' } }]);
    const [delivery] = await prisma().pushDelivery.findMany({ where: { deviceId: idOf(reply) } });
    expect(delivery).toMatchObject({ platform: 'web', state: 'pending' });
    const test = await person.api.post(`${PATH}/test_notification`, {
      subscription_id: idOf(reply),
    });
    expect(test).toMatchObject(refusedWith('NO_ACTIVE_PUSH_DEVICE'));
  });

  it.each([
    ['no address', { endpoint: 'push.example' }, 'INVALID_WEB_PUSH_ENDPOINT'],
    ['no https', { endpoint: 'http://fcm.googleapis.com/x' }, 'INVALID_WEB_PUSH_ENDPOINT'],
    ['an IP address', { endpoint: 'https://10.0.0.1/x' }, 'INVALID_WEB_PUSH_ENDPOINT'],
    ['a user', { endpoint: 'https://a@fcm.googleapis.com/x' }, 'INVALID_WEB_PUSH_ENDPOINT'],
    [
      'too long',
      { endpoint: `https://fcm.googleapis.com/${'x'.repeat(1000)}` },
      'INVALID_WEB_PUSH_ENDPOINT',
    ],
    ['another host', { endpoint: 'https://evil.example/x' }, 'WEB_PUSH_ENDPOINT_NOT_ALLOWED'],
    [
      'another port',
      { endpoint: 'https://fcm.googleapis.com:8443/x' },
      'WEB_PUSH_ENDPOINT_NOT_ALLOWED',
    ],
    ['a key off the curve', { p256dh: Buffer.alloc(65, 4).toString('base64url') }, null],
    ['a short key', { p256dh: 'BAAA' }, null],
    ['a short secret', { auth: 'AAAA' }, null],
    ['a secret in base64', { auth: '++++++++++++++++++++++' }, null],
    ['a strange key', { vapid_public_key: newSubscription('').p256dh }, 'UNKNOWN_VAPID_KEY'],
    ['no key', { vapid_public_key: 'x'.repeat(200) }, 'UNKNOWN_VAPID_KEY'],
  ])('refuses %s', async (_what, fields, code) => {
    expect(await register(fields)).toMatchObject(refusedWith(code ?? 'INVALID_WEB_PUSH_KEYS'));
    expect(await list()).toEqual([]);
  });

  it('refuses a kind that does not exist, and bots', async () => {
    expect(await register({ kind: 'fax' })).toMatchObject({ status: 400 });
    const bot = await organisation.addPerson({ isBot: true });
    expect(await register({}, bot)).toMatchObject({
      status: 400,
      body: { msg: 'Bots receive no push notifications' },
    });
  });

  it('takes keys with padding', async () => {
    const { p256dh, auth } = newSubscription(vapidKey);
    const fields = { p256dh: `${p256dh}=`, auth: `${auth}==`, vapid_public_key: `${vapidKey}=` };
    expect(await register(fields)).toMatchObject(success);
  });

  it('replaces the oldest pending one of ten, and refuses an eleventh that is active', async () => {
    const active = await Promise.all(Array.from({ length: 9 }, () => subscribe()));
    const pending = idOf(await register());
    const next = idOf(await register());
    const ids = (await prisma().webPushSubscription.findMany({ where: { userId: person.id } })).map(
      ({ id }) => id,
    );
    expect(ids.toSorted((a, b) => a - b)).toEqual([...active, next].toSorted((a, b) => a - b));
    expect(ids).not.toContain(pending);
    expect(await confirm(next)).toMatchObject(success);
    expect(await register()).toMatchObject(refusedWith('TOO_MANY_WEB_PUSH_SUBSCRIPTIONS'));
  });

  it('is limited to twenty an hour', async () => {
    const fields = newSubscription(vapidKey);
    const replies = [];
    for (let time = 0; time < 21; time += 1) replies.push(await register(fields));
    expect(replies.map(({ status }) => status)).toEqual([...Array(20).fill(200), 429]);
  });
});

describe(`POST ${PATH}/confirm`, () => {
  it('refuses another token, another subscription and another account', async () => {
    const [id, other] = [idOf(await register()), idOf(await register())];
    const refused = refusedWith('INVALID_CONFIRMATION_TOKEN');
    expect(await confirm(id, 'x')).toMatchObject(refused);
    expect(await confirm(id, 'x'.repeat(100))).toMatchObject(refused);
    expect(await confirm(id, await tokenOf(other))).toMatchObject(refused);
    expect(await confirm(2 ** 40, 'x')).toMatchObject(refused);
    const stranger = await organisation.addPerson();
    expect(await confirm(id, undefined, stranger)).toMatchObject(refused);
    expect(await confirm(id)).toMatchObject(success);
    expect(await confirm(id)).toMatchObject(success);
  });
});

describe('GET /users/me/web_push_subscriptions', () => {
  it('shows hosts and states, and neither endpoints nor keys', async () => {
    const active = await subscribe();
    const pending = idOf(await register({ kind: 'unifiedpush' }));
    const times = { registered_at: expect.any(Number) };
    const host = 'fcm.googleapis.com';
    expect(await list()).toEqual([
      {
        ...times,
        subscription_id: active,
        host,
        kind: 'browser',
        state: 'active',
        confirmed_at: expect.any(Number),
      },
      {
        ...times,
        subscription_id: pending,
        host,
        kind: 'unifiedpush',
        state: 'pending',
        confirmed_at: null,
      },
    ]);
    expect(await list(await organisation.addPerson())).toEqual([]);
  });
});

describe(`DELETE ${PATH}`, () => {
  it('removes by id or endpoint, only of the caller, and again', async () => {
    const fields = newSubscription(vapidKey);
    const [one, two] = [idOf(await register(fields)), await subscribe()];
    const stranger = await organisation.addPerson();
    await stranger.api.delete(PATH, { subscription_id: two });
    await stranger.api.delete(PATH, { endpoint: fields.endpoint });
    expect(await list()).toMatchObject([{ subscription_id: one }, { subscription_id: two }]);
    for (const remove of [{ subscription_id: two }, { endpoint: fields.endpoint }]) {
      expect(await person.api.delete(PATH, remove)).toMatchObject(success);
      expect(await person.api.delete(PATH, remove)).toMatchObject(success);
    }
    expect(await person.api.delete(PATH, {})).toMatchObject(success);
    expect(await list()).toEqual([]);
  });
});

describe(`POST ${PATH}/test_notification`, () => {
  it('goes to an active subscription, and to no phone of this id', async () => {
    const send = (id: number, by = person) =>
      by.api.post(`${PATH}/test_notification`, { subscription_id: id });
    const id = await subscribe();
    expect(await send(id)).toMatchObject(success);
    const refused = refusedWith('NO_ACTIVE_PUSH_DEVICE');
    expect(await send(id, await organisation.addPerson())).toMatchObject(refused);
    await person.api.post('/users/me/android_gcm_reg_id', { token: 'abc' });
    const phone = await prisma().pushDevice.findFirstOrThrow({ where: { userId: person.id } });
    expect(await send(phone.id)).toMatchObject(refused);
  });
});

describe('The key for subscriptions', () => {
  it('is part of the state', async () => {
    const { state } = await EventClient.register(person.api, { fetch_event_types: ['realm'] });
    expect(state['server_web_push_public_key']).toBe(vapidKey);
  });
});
