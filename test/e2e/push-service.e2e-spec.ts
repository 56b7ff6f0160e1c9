import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { eventually } from '#test/eventually';
import { androidToken, DEMO_APP_ID, iphoneToken } from '#test/push-tokens';
import { RemoteServer } from '#test/remote-server';
import { useSystem } from '#test/use-system';

const system = useSystem({ environment: { RATE_LIMIT_NEW_SERVERS: '60:1000' } });
let server: RemoteServer;
let user: string;

beforeEach(async () => {
  server = await RemoteServer.register(system.gatewayUrl);
  user = randomUUID();
});
const registerToken = async (token: string, by = server) => {
  const kind = /^[\da-f]{64}$/i.test(token)
    ? { token_kind: 1, ios_app_id: DEMO_APP_ID }
    : { token_kind: 2 };
  const reply = await by.post('/push/register', { user_uuid: user, token, ...kind });
  expect(reply).toMatchObject(success);
  return token;
};
const notify = (body: Record<string, unknown>, by = server) =>
  by.postJson('/push/notify', { user_uuid: user, realm_uuid: server.realm, ...body });
const isDead = (token: string) =>
  /^[\da-f]{64}$/i.test(token)
    ? system.sandbox.answer(token, { platform: 'apns', status: 410, reason: 'Unregistered' })
    : system.sandbox.answer(token, { platform: 'fcm', status: 404, reason: 'UNREGISTERED' });
const shownOn = (token: string, count = 1) =>
  eventually(async () => {
    const deliveries = await system.sandbox.shownOn(token);
    expect(deliveries).toHaveLength(count);
    return deliveries;
  });
const rows = () =>
  system.database.database.prisma.remoteDelivery.findMany({
    where: { serverId: { gt: 0 } },
    orderBy: { id: 'asc' },
  });

describe('POST /remotes/push/notify', () => {
  it('reaches all phones of an account, and answers when the providers have', async () => {
    const [iphone, android] = [iphoneToken().toUpperCase(), androidToken()];
    await registerToken(iphone);
    await registerToken(android);
    const reply = await notify({
      apns_payload: {
        alert: { title: 'Title', body: 'Body' },
        sound: 'default',
        badge: 0,
        custom: { zulip: { event: 'message', message_ids: [5] } },
      },
      gcm_payload: { event: 'message', time: 12, flag: true, nothing: null, list: [1] },
      gcm_options: { priority: 'high' },
      android_devices: [android, 'unknown'],
      apple_devices: [iphone.toLowerCase()],
    });
    expect(reply).toMatchObject({
      ...success,
      body: {
        total_android_devices: 1,
        total_apple_devices: 1,
        deleted_devices: { android_devices: ['unknown'], apple_devices: [] },
        realm: { can_push: true, expected_end_timestamp: null },
      },
    });
    const [onIphone] = await system.sandbox.shownOn(iphone);
    expect(onIphone).toMatchObject({
      topic: DEMO_APP_ID,
      headers: { 'apns-push-type': 'alert', 'apns-priority': '10' },
      payload: {
        aps: { alert: { title: 'Title', body: 'Body' }, sound: 'default', badge: 0 },
        zulip: { event: 'message', message_ids: [5] },
      },
    });
    const [onAndroid] = await system.sandbox.shownOn(android);
    expect(onAndroid?.payload).toMatchObject({
      message: {
        data: { event: 'message', time: '12', flag: 'true', nothing: 'null', list: '[1]' },
        android: { priority: 'high' },
      },
    });
    const ended = (await rows()).slice(-2);
    expect(ended).toMatchObject([
      { state: 'delivered', attempts: 1, sealed: null },
      { state: 'delivered', attempts: 1, sealed: null },
    ]);
  });

  it('reports tokens that have just proved dead, and those of another account', async () => {
    const [dead, alive] = [androidToken(), androidToken()];
    for (const token of [dead, alive]) await registerToken(token);
    await isDead(dead);
    const reply = await notify({
      gcm_payload: { event: 'message' },
      android_devices: [dead, alive],
    });
    expect(reply).toMatchObject({
      ...success,
      body: { total_android_devices: 2, deleted_devices: { android_devices: [dead] } },
    });
    const stranger = { user_uuid: randomUUID(), android_devices: [alive] };
    expect(await notify(stranger)).toMatchObject({
      body: { total_android_devices: 0, deleted_devices: { android_devices: [alive] } },
    });
  });

  it('sends nothing of a request with bad options, which matter only with an Android phone', async () => {
    const iphone = await registerToken(iphoneToken());
    const bad = { gcm_options: { priority: 'invalid' }, apns_payload: { alert: 'x' } };
    expect(await notify(bad)).toMatchObject(success);
    await shownOn(iphone);
    await registerToken(androidToken());
    expect(await notify(bad)).toMatchObject(
      badRequest("Invalid GCM option to bouncer: priority 'invalid'"),
    );
    expect(await notify({ ...bad, gcm_options: { odd: 1 } })).toMatchObject(
      badRequest('Invalid GCM options to bouncer: {"odd":1}'),
    );
    await shownOn(iphone);
  });

  it('goes on with what the provider has not accepted in time', async () => {
    const android = await registerToken(androidToken());
    await system.sandbox.answer(android, {
      platform: 'fcm',
      status: 503,
      reason: 'UNAVAILABLE',
      times: 1,
    });
    const started = Date.now();
    const reply = await notify({ gcm_payload: { event: 'message' }, android_devices: [android] });
    expect(reply).toMatchObject({ ...success, body: { total_android_devices: 1 } });
    expect(Date.now() - started).toBeLessThan(12_000);
    await shownOn(android);
  });

  it('loses nothing that it has accepted when workers die and Redis loses its data', async () => {
    const android = await registerToken(androidToken());
    await system.kill('push-worker');
    const started = Date.now();
    expect(await notify({ gcm_payload: { event: 'message' } })).toMatchObject(success);
    expect(Date.now() - started).toBeLessThan(14_000);
    await system.flushRedis();
    await system.start('push-worker');
    await shownOn(android);
  });

  it('keeps the order of a message and its removal', async () => {
    const android = await registerToken(androidToken());
    // The first attempt of the message fails, and its removal waits for the second.
    await system.sandbox.answer(android, {
      platform: 'fcm',
      status: 500,
      reason: 'INTERNAL',
      times: 1,
    });
    const message = notify({ gcm_payload: { event: 'message' } });
    await eventually(async () =>
      expect(await system.sandbox.deliveries({ token: android })).toHaveLength(1),
    );
    await Promise.all([message, notify({ gcm_payload: { event: 'remove' } })]);
    const shown = await shownOn(android, 2);
    expect(shown.map(({ payload }) => payload)).toMatchObject([
      { message: { data: { event: 'message' } } },
      { message: { data: { event: 'remove' } } },
    ]);
  });

  it.each([
    ['{', 'Malformed JSON'],
    ['[]', 'request is not a dict'],
    [{ user_id: 'x' }, 'request["user_id"] is not an integer'],
    [{ user_uuid: 'x' }, 'Invalid UUID'],
    [{ realm_uuid: 'x', user_id: 1 }, 'Invalid UUID'],
    [{}, 'Missing user_id or user_uuid'],
  ])('refuses %j', async (body, msg) => {
    expect(await server.postJson('/push/notify', body)).toMatchObject(badRequest(msg));
  });
});

describe('POST /remotes/push/test_notification', () => {
  it('sends a test to one token', async () => {
    const iphone = await registerToken(iphoneToken());
    const android = await registerToken(androidToken());
    const base_payload = {
      server: 's',
      realm_name: 'Realm',
      realm_uri: 'https://r.test',
      user_id: 3,
    };
    for (const [token, token_kind] of [
      [iphone, 1],
      [android, 2],
    ] as const) {
      const body = { token, token_kind, user_uuid: user, user_id: 3, base_payload };
      expect(await server.postJson('/push/test_notification', body)).toMatchObject(success);
    }
    const [onIphone] = await shownOn(iphone);
    expect(onIphone?.payload).toEqual({
      aps: {
        alert: {
          title: 'Test notification',
          body: 'This is a test notification from Realm (https://r.test).',
        },
        sound: 'default',
      },
      zulip: { ...base_payload, event: 'test' },
    });
    const [onAndroid] = await shownOn(android);
    expect(onAndroid?.payload).toMatchObject({
      message: { data: { event: 'test', user_id: '3', time: expect.stringMatching(/^\d+$/) } },
    });
  });

  it('refuses unknown tokens and members', async () => {
    const body = { token: 'abc', token_kind: 2, user_uuid: user, base_payload: {} };
    expect(await server.postJson('/push/test_notification', body)).toMatchObject({
      status: 400,
      body: {
        code: 'INVALID_REMOTE_PUSH_DEVICE_TOKEN',
        msg: 'Device not recognized by the push bouncer',
      },
    });
    const odd = { ...body, x: 1 };
    expect(await server.postJson('/push/test_notification', odd)).toMatchObject(
      badRequest('Argument "x" at request["x"] is unexpected'),
    );
    const { token: _, ...without } = body;
    expect(await server.postJson('/push/test_notification', without)).toMatchObject(
      badRequest('request["token"] field is missing: Field required'),
    );
  });
});
