import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto';
import { type OutgoingPush, WebPushTransport } from '#push/providers';
import { SandboxUnderTest } from '#test/push-sandbox-client';
import { pushTo } from '#test/outgoing-push';

interface Subscription {
  readonly token: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
const key = {
  id: 1,
  privateKey,
  publicKey: Buffer.concat([
    Buffer.of(4),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ]).toString('base64url'),
};

describe('push sandbox: the push service of browsers', () => {
  let sut: SandboxUnderTest;
  let transport: WebPushTransport;

  beforeAll(async () => {
    sut = await SandboxUnderTest.start();
    transport = open();
  });
  beforeEach(() => sut.reset());
  afterAll(async () => {
    await transport?.close();
    await sut?.stop();
  });

  const open = (changes: { readonly contact?: string } = {}) =>
    new WebPushTransport({
      endpoints: { hosts: ['*'], ports: [sut.ports.web], privateHosts: ['localhost'] },
      contact: 'mailto:ops@example.org',
      deadlineMs: 10_000,
      certificateAuthority: sut.ca,
      keyOf: async () => key,
      textOf: ({ notificationId, content }) =>
        JSON.stringify({
          type: 'message',
          message_id: content.kind === 'test' ? content.time : 0,
          sender_full_name: 'Ada',
          content: 'Lunch?',
          realm_url: 'https://chat.example.org',
          user_id: 5,
          notification_id: notificationId,
        }),
      ...changes,
    });

  const subscribe = async (vapidKey?: string): Promise<Subscription> => {
    const body = vapidKey === undefined ? {} : { vapid_public_key: vapidKey };
    // The sandbox documents this shape.
    return (await sut.control('POST', '/api/browsers', body)).json as Subscription;
  };

  const pushFor = (
    { endpoint, p256dh, auth }: Subscription,
    changes: Partial<OutgoingPush> = {},
  ): OutgoingPush =>
    pushTo(endpoint, {
      content: { kind: 'test', time: 7 },
      web: {
        kind: 'browser',
        p256dh: Buffer.from(p256dh, 'base64url'),
        auth: Buffer.from(auth, 'base64url'),
        vapidKeyId: 1,
        readMessageIds: [],
        failingSince: null,
        goneSince: null,
        refusedCount: 0,
      },
      ...changes,
    });

  const scriptFor = ({ token }: Subscription, script: object) =>
    sut.control('PUT', `/api/tokens/${token}`, { platform: 'web', ...script });
  const setMode = (mode: object) => sut.control('PUT', '/api/platforms/web', mode);
  const screensOf = async ({ token }: Subscription) => {
    const { json } = await sut.control('GET', `/api/screens/${token}`);
    return (json as { screens: readonly object[] }).screens;
  };

  it('shows what the browser decrypts, once for each notification', async () => {
    const browser = await subscribe(key.publicKey);
    const push = pushFor(browser);
    expect(await transport.send(push)).toEqual({ kind: 'accepted' });
    expect(await transport.send(push)).toEqual({ kind: 'accepted' });
    expect(await sut.deliveries()).toMatchObject([
      {
        platform: 'web',
        token: browser.token,
        headers: { authorization: '(hidden)', 'content-encoding': 'aes128gcm' },
        payload: { bytes: 359 },
        decrypted: { type: 'message', content: 'Lunch?' },
        status: 201,
        shown: true,
      },
      { status: 201 },
    ]);
    expect(await screensOf(browser)).toMatchObject([
      {
        platform: 'web',
        notifications: [{ title: 'Ada', body: 'Lunch?', kind: 'encrypted' }],
        messages: [{ message_id: '7', copies: 1 }],
      },
    ]);
  });

  it('refuses a push for other keys, for another VAPID key, and for nobody', async () => {
    const bound = await subscribe(
      Buffer.concat([Buffer.of(4), randomBytes(64)]).toString('base64url'),
    );
    expect(await transport.send(pushFor(bound))).toMatchObject({ kind: 'refused', status: 403 });
    const free = await subscribe();
    const stranger = createECDH('prime256v1');
    stranger.generateKeys();
    const p256dh = stranger.getPublicKey('base64url');
    expect(await transport.send(pushFor({ ...free, p256dh }))).toMatchObject({ status: 400 });
    const unknown = { ...free, endpoint: free.endpoint.replace(/[^/]+$/, 'unknown') };
    expect(await transport.send(pushFor(unknown))).toMatchObject({ status: 404 });
    expect(await transport.send(pushFor(free))).toEqual({ kind: 'accepted' });
  });

  it('refuses a contact that nobody can reach', async () => {
    const sender = open({ contact: 'https://localhost' });
    const browser = await subscribe();
    expect(await sender.send(pushFor(browser))).toMatchObject({ kind: 'refused', status: 401 });
    await sender.close();
  });

  it.each([
    [
      { status: 410, reason: 'gone' },
      { kind: 'refused', status: 410 },
    ],
    [
      { status: 404, html: true },
      { kind: 'refused', status: 404 },
    ],
    [
      { status: 413, reason: 'too large' },
      { kind: 'refused', status: 413 },
    ],
    [
      { status: 401, reason: 'VAPID' },
      { kind: 'refused', status: 401 },
    ],
    [
      { status: 429, retry_after: 7 },
      { kind: 'refused', status: 429, retryAfterMs: 7000 },
    ],
    [{ status: 503 }, { kind: 'refused', status: 503 }],
    [{ delay_ms: 50 }, { kind: 'accepted' }],
    [{ no_answer: 'reset' }, { kind: 'unanswered', reason: 'connection' }],
  ])('answers one subscription with %j', async (script, answer) => {
    const browser = await subscribe();
    await scriptFor(browser, script);
    expect(await transport.send(pushFor(browser))).toMatchObject(answer);
  });

  it.each([
    [
      { mode: 'throttle', retry_after: 3 },
      { status: 429, retryAfterMs: 3000 },
    ],
    [{ mode: 'bad_credentials' }, { status: 403 }],
    [{ mode: 'down' }, { kind: 'unanswered' }],
    [{ mode: 'reset' }, { kind: 'unanswered' }],
  ])('is in the mode %j', async (mode, answer) => {
    const browser = await subscribe();
    await setMode(mode);
    expect(await transport.send(pushFor(browser))).toMatchObject(answer);
    await setMode({ mode: 'ok' });
    expect(await transport.send(pushFor(browser))).toEqual({ kind: 'accepted' });
  });

  it('keeps pushes for a browser that is off, the last one of each topic', async () => {
    const browser = await subscribe();
    const switchTo = (online: boolean) =>
      sut.control('PUT', `/api/browsers/${browser.token}`, { online });
    await switchTo(false);
    const push = pushFor(browser);
    const other = pushFor(browser, { content: { kind: 'test', time: 8 } });
    for (const one of [push, push, other]) {
      expect(await transport.send(one)).toEqual({ kind: 'accepted' });
    }
    expect(await screensOf(browser)).toEqual([]);
    await switchTo(true);
    expect(await screensOf(browser)).toMatchObject([{ notifications: [{}, {}] }]);
    const reasons = (await sut.deliveries(`?token=${browser.token}`)).map(({ reason }) => reason);
    expect(reasons).toEqual(['held', 'held', 'held', 'kept', 'kept']);
    expect((await sut.control('PUT', '/api/browsers/nobody', { online: true })).status).toBe(404);
  });
});
