import { describe, expect, it } from '@jest/globals';
import { notSignedIn, success } from '#test/answers';
import type { ApiClient } from '#test/api-client';
import { eventually } from '#test/eventually';
import type { Reply } from '#test/http-request';
import { addOrganisation } from '#test/organisation';
import { loadPage } from '#test/page-files';
import { Phone } from '#test/phone';
import { DEMO_APP_ID } from '#test/push-tokens';
import type { SandboxDelivery } from '#test/sandbox-client';
import { useSystem } from '#test/use-system';

const system = useSystem();

const sendTest = (api: ApiClient, phone?: Phone): Promise<Reply> =>
  api.post('/mobile_push/test_notification', phone === undefined ? {} : { token: phone.token });

/** Waits until the phone has shown this many notifications. */
const shown = (phone: Phone, count = 1): Promise<SandboxDelivery[]> =>
  eventually(async () => {
    const deliveries = await system.sandbox.shownOn(phone.token);
    expect(deliveries).toHaveLength(count);
    return deliveries;
  });

async function newAccount(): Promise<ApiClient> {
  return (await (await addOrganisation(system)).addPerson()).api;
}

const notRecognized = {
  status: 400,
  body: { code: 'INVALID_PUSH_DEVICE_TOKEN', msg: 'Device not recognized' },
};
const refusedByProvider = {
  status: 400,
  body: {
    code: 'INVALID_REMOTE_PUSH_DEVICE_TOKEN',
    msg: 'Device not recognized by the push bouncer',
  },
};

describe('POST /mobile_push/test_notification', () => {
  it('requires a sign-in', async () => {
    expect(await sendTest(system.anonymous())).toMatchObject(notSignedIn);
  });

  it.each(['', 'unknown', 'a'.repeat(5000)])('rejects an unknown token', async (token) => {
    const reply = await system.api('bob').post('/mobile_push/test_notification', { token });
    expect(reply).toMatchObject(notRecognized);
  });

  it('rejects the token of another account', async () => {
    const phone = await Phone.android().register(await newAccount());
    expect(await sendTest(system.api('bob'), phone)).toMatchObject(notRecognized);
    expect(await system.sandbox.deliveries({ token: phone.token })).toEqual([]);
  });

  it('succeeds for an account without phones', async () => {
    expect(await sendTest(system.api('owner'))).toMatchObject(success);
  });

  it('sends an APNs payload to an iPhone', async () => {
    const phone = await Phone.iphone().register(system.api('alice'));
    expect(await sendTest(system.api('alice'), phone)).toMatchObject(success);
    const [delivery] = await shown(phone);
    const site = system.gatewayUrl;
    expect(delivery).toMatchObject({
      platform: 'apns',
      topic: DEMO_APP_ID,
      headers: { 'apns-push-type': 'alert', 'apns-priority': '10' },
    });
    expect(delivery?.payload['aps']).toMatchObject({
      alert: {
        title: 'Test notification',
        body: `This is a test notification from Carillon Demo (${site}).`,
      },
      sound: 'default',
    });
    expect(delivery?.payload['zulip']).toMatchObject({
      event: 'test',
      realm_name: 'Carillon Demo',
      realm_url: site,
      realm_uri: site,
      user_id: system.user('alice').user_id,
    });
  });

  it('sends an FCM data message of strings to an Android phone', async () => {
    const phone = await Phone.android().register(system.api('alice'));
    expect(await sendTest(system.api('alice'), phone)).toMatchObject(success);
    const [delivery] = await shown(phone);
    expect(delivery).toMatchObject({
      platform: 'fcm',
      payload: {
        message: {
          data: {
            event: 'test',
            realm_name: 'Carillon Demo',
            realm_url: system.gatewayUrl,
            realm_uri: system.gatewayUrl,
            user_id: String(system.user('alice').user_id),
            time: expect.stringMatching(/^\d+$/),
          },
          android: { priority: expect.stringMatching(/^high$/i) },
        },
      },
    });
    expect(JSON.stringify(delivery?.payload)).not.toContain('"notification"');
  });

  it('reaches the given phone only', async () => {
    const api = await newAccount();
    const named = await Phone.android().register(api);
    const other = await Phone.android().register(api);
    expect(await sendTest(api, named)).toMatchObject(success);
    await shown(named);
    expect(await system.sandbox.deliveries({ token: other.token })).toEqual([]);
  });

  it('reaches all phones without a token', async () => {
    const api = await newAccount();
    const phones = [Phone.iphone(), Phone.iphone(), Phone.android(), Phone.android()];
    for (const phone of phones) await phone.register(api);
    expect(await sendTest(api)).toMatchObject(success);
    for (const phone of phones) await shown(phone);
  });

  it('finds an iPhone by its token in upper case', async () => {
    const api = await newAccount();
    const phone = await Phone.iphone().register(api);
    expect(await sendTest(api, Phone.iphone(phone.token.toUpperCase()))).toMatchObject(success);
    await shown(phone);
  });

  it('is sent again for each request', async () => {
    const api = await newAccount();
    const phone = await Phone.android().register(api);
    for (let times = 1; times <= 3; times += 1) {
      expect(await sendTest(api, phone)).toMatchObject(success);
    }
    await shown(phone, 3);
  });

  it.each(['alice_bot', 'guest'])('is allowed for %s', async (name) => {
    const phone = await Phone.android().register(system.api(name));
    expect(await sendTest(system.api(name), phone)).toMatchObject(success);
    await shown(phone);
  });

  it('does not reach a removed phone', async () => {
    const api = await newAccount();
    const phone = await Phone.iphone().register(api);
    await phone.remove(api);
    expect(await sendTest(api, phone)).toMatchObject(notRecognized);
    expect(await sendTest(api)).toMatchObject(success);
    expect(await system.sandbox.deliveries({ token: phone.token })).toEqual([]);
  });
});

describe('A provider’s answer to a test notification', () => {
  /** A time after the registration in every run, in UNIX milliseconds. */
  const timestamp = Date.now() + 3_600_000;

  it.each([
    ['Apple', () => Phone.iphone(), { status: 410, reason: 'Unregistered', timestamp }],
    ['Google', () => Phone.android(), { reason: 'UNREGISTERED' }],
  ])(
    'that reports a dead phone is returned, and the phone is removed: %s',
    async (_, make, orders) => {
      const api = await newAccount();
      const phone = await make().register(api);
      await system.sandbox.answer(phone.token, { platform: phone.platform, ...orders });
      expect(await sendTest(api, phone)).toMatchObject(refusedByProvider);
      await eventually(async () => expect(await sendTest(api, phone)).toMatchObject(notRecognized));
      expect(await phone.remove(api)).toMatchObject({ body: { msg: 'Token does not exist' } });
      expect(await system.sandbox.deliveries({ token: phone.token })).toHaveLength(1);
    },
  );

  it.each([
    ['Apple', () => Phone.iphone(), { status: 503, reason: 'ServiceUnavailable' }],
    ['Google', () => Phone.android(), { status: 503, reason: 'UNAVAILABLE' }],
  ])('that reports throttling is retried: %s', async (_, make, orders) => {
    const api = await newAccount();
    const phone = await make().register(api);
    await system.sandbox.answer(phone.token, { platform: phone.platform, ...orders, times: 1 });
    expect(await sendTest(api, phone)).toMatchObject(success);
    await shown(phone);
    expect(await system.sandbox.deliveries({ token: phone.token })).toHaveLength(2);
  });

  it('is not awaited while one provider is down, and does not delay the other', async () => {
    const api = await newAccount();
    const [iphone, android] = [Phone.iphone(), Phone.android()];
    await iphone.register(api);
    await android.register(api);
    await system.sandbox.setMode('apns', { mode: 'down' });
    try {
      expect(await sendTest(api)).toMatchObject(success);
      await shown(android);
      expect(await system.sandbox.shownOn(iphone.token)).toEqual([]);
    } finally {
      await system.sandbox.setMode('apns', { mode: 'ok' });
    }
    await eventually(
      async () => expect(await system.sandbox.shownOn(iphone.token)).toHaveLength(1),
      40_000,
    );
  });
});

describe('The inbox page of the push sandbox', () => {
  it('serves all of its files', async () => {
    const files = await loadPage(system.demo.sandbox_url);
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['base.css', 'inbox.css', 'inbox.js']),
    );
    for (const [name, { status }] of files) expect({ name, status }).toEqual({ name, status: 200 });
  });
});

describe('GET /server_settings', () => {
  it('says that notifications are available once a worker has credentials', async () => {
    await eventually(async () => {
      const { body } = await system.anonymous().get('/server_settings');
      expect(body).toMatchObject({ push_notifications_enabled: true });
    });
  });
});
