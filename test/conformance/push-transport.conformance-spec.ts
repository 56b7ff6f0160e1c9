import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { ApnsTransport, FcmTransport, type OutgoingPush, type PushTransport } from '#push';
import { androidToken, DEMO_APP_ID, iphoneToken } from '../support/push-tokens.js';
import { type RunningSandbox, startSandbox } from './push-sandbox.fixture.js';

const DEADLINE_MS = 400;

let sandbox: RunningSandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
}, 20_000);

afterAll(() => sandbox?.stop());

const pushTo = (token: string): OutgoingPush => ({
  notificationId: randomUUID(),
  deliveryId: randomUUID(),
  token,
  appId: DEMO_APP_ID,
  expiresAt: Date.now() + 3_600_000,
  recipient: {
    userId: 7,
    realmId: 1,
    realmName: 'Carillon Demo',
    realmUrl: 'https://chat.example.org',
    server: 'chat.example.org',
  },
  content: { kind: 'test', time: 1_700_000_000 },
  isWithdrawn: () => false,
});

const unavailable = { apns: 'ServiceUnavailable', fcm: 'UNAVAILABLE' } as const;

describe.each([
  {
    platform: 'apns' as const,
    newToken: iphoneToken,
    open: (): PushTransport => new ApnsTransport({ ...sandbox.apns, deadlineMs: DEADLINE_MS }),
    dead: { status: 410, reason: 'Unregistered', timestamp: 1_700_000_000_000 },
    deadAnswer: { status: 410, reason: 'Unregistered', deadSince: 1_700_000_000_000 },
    throttled: { status: 429, reason: 'TooManyRequests' },
    badCredentials: { status: 403, reason: 'InvalidProviderToken' },
  },
  {
    platform: 'fcm' as const,
    newToken: androidToken,
    open: (): PushTransport => new FcmTransport({ ...sandbox.fcm, deadlineMs: DEADLINE_MS }),
    dead: { reason: 'UNREGISTERED' },
    deadAnswer: { status: 404, reason: 'UNREGISTERED', deadSince: null },
    throttled: { status: 429, reason: 'QUOTA_EXCEEDED' },
    badCredentials: { status: 401, reason: 'THIRD_PARTY_AUTH_ERROR' },
  },
])('The transport of $platform', (provider) => {
  const { platform, newToken } = provider;
  let sut: PushTransport;

  beforeEach(() => {
    sut = provider.open();
  });

  afterEach(async () => {
    await sandbox.control.setMode(platform, { mode: 'ok' });
    await sandbox.control.forget();
    await sut.close();
  });

  const accepted = { kind: 'accepted' };
  const attemptsOn = async (token: string) =>
    (await sandbox.control.deliveries({ token })).map(({ status }) => status);

  it('has a push shown on the phone', async () => {
    const push = pushTo(newToken());
    expect(await sut.send(push)).toEqual(accepted);
    const [shown] = await sandbox.control.shownOn(push.token);
    expect(JSON.stringify(shown?.payload)).toContain('chat.example.org');
  });

  it('has each push of a burst on a new connection shown once', async () => {
    const pushes = Array.from({ length: 50 }, () => pushTo(newToken()));
    const answers = await pLimit(16).map(pushes, (push) => sut.send(push));
    expect(answers).toEqual(pushes.map(() => accepted));
    expect(await sandbox.control.deliveries()).toHaveLength(50);
  });

  it('tells that a token is dead, and since when if the provider says so', async () => {
    const push = pushTo(newToken());
    await sandbox.control.answer(push.token, { platform, ...provider.dead });
    expect(await sut.send(push)).toMatchObject(provider.deadAnswer);
  });

  it('passes on how long to wait, and does not try again by itself', async () => {
    const push = pushTo(newToken());
    await sandbox.control.setMode(platform, { mode: 'throttle', retry_after: 7 });
    expect(await sut.send(push)).toMatchObject({ ...provider.throttled, retryAfterMs: 7000 });
    expect(await attemptsOn(push.token)).toEqual([429]);
  });

  it('tells of a provider in trouble at once, and does not try again by itself', async () => {
    const push = pushTo(newToken());
    await sandbox.control.answer(push.token, {
      platform,
      status: 503,
      reason: unavailable[platform],
      retry_after: 3,
    });
    expect(await sut.send(push)).toMatchObject({
      status: 503,
      reason: unavailable[platform],
      retryAfterMs: 3000,
    });
    expect(await attemptsOn(push.token)).toEqual([503]);
  });

  it('reads a refusal without a body', async () => {
    const push = pushTo(newToken());
    await sandbox.control.answer(push.token, { platform, status: 500 });
    expect(await sut.send(push)).toMatchObject({ kind: 'refused', status: 500 });
  });

  it('tells that the credentials are refused', async () => {
    await sandbox.control.setMode(platform, { mode: 'bad_credentials' });
    expect(await sut.send(pushTo(newToken()))).toMatchObject(provider.badCredentials);
  });

  it('gives up on a provider that does not answer, and sends again when it does', async () => {
    await sandbox.control.setMode(platform, { mode: 'hang' });
    const startedAt = performance.now();
    expect(await sut.send(pushTo(newToken()))).toEqual({ kind: 'unanswered', reason: 'deadline' });
    expect(performance.now() - startedAt).toBeLessThan(DEADLINE_MS + 500);
    await sandbox.control.setMode(platform, { mode: 'ok' });
    expect(await sut.send(pushTo(newToken()))).toEqual(accepted);
  });

  it('leaves connections that have fallen silent', async () => {
    expect(await sut.send(pushTo(newToken()))).toEqual(accepted);
    await sandbox.control.setMode(platform, { mode: 'blackhole' });
    expect(await sut.send(pushTo(newToken()))).toEqual({ kind: 'unanswered', reason: 'deadline' });
    expect(await sut.send(pushTo(newToken()))).toEqual(accepted);
  });

  it('tells that the connection was lost, and opens another', async () => {
    await sandbox.control.setMode(platform, { mode: 'reset' });
    const push = pushTo(newToken());
    expect(await sut.send(push)).toEqual({ kind: 'unanswered', reason: 'connection' });
    expect(await attemptsOn(push.token)).toHaveLength(1);
    await sandbox.control.setMode(platform, { mode: 'ok' });
    expect(await sut.send(pushTo(newToken()))).toEqual(accepted);
  });

  it('tells that there is no connection', async () => {
    await sandbox.control.setMode(platform, { mode: 'down' });
    expect(await sut.send(pushTo(newToken()))).toEqual({
      kind: 'unanswered',
      reason: 'connection',
    });
  });

  it('does not send what was withdrawn while the connection was being made', async () => {
    let isWithdrawn = false;
    const push = { ...pushTo(newToken()), isWithdrawn: () => isWithdrawn };
    const sending = sut.send(push);
    isWithdrawn = true;
    expect(await sending).toEqual({ kind: 'withdrawn' });
    expect(await sut.send(pushTo(newToken()))).toEqual(accepted);
    expect(await sut.send(push)).toEqual({ kind: 'withdrawn' });
    expect(await attemptsOn(push.token)).toEqual([]);
  });

  it('loses and repeats nothing when the provider closes the connection in good order', async () => {
    expect(await sut.send(pushTo(newToken()))).toEqual(accepted);
    await sandbox.control.setMode(platform, { mode: 'goaway', delay_ms: 50 });
    const pushes = Array.from({ length: 20 }, () => pushTo(newToken()));
    const answers = await Promise.all(pushes.map((push) => sut.send(push)));
    expect(answers).toEqual(pushes.map(() => accepted));
    expect(await sandbox.control.deliveries()).toHaveLength(21);
  });
});

describe('The transport of apns', () => {
  it('does not send without a topic', async () => {
    const sut = new ApnsTransport({ ...sandbox.apns, deadlineMs: DEADLINE_MS });
    const push = { ...pushTo(iphoneToken()), appId: null };
    expect(await sut.send(push)).toEqual({
      kind: 'unsendable',
      reason: 'MissingTopic',
    });
    await sut.close();
  });
});

describe('The transport of fcm', () => {
  it('tells that its service account is refused', async () => {
    const account = { ...sandbox.fcm.account, clientEmail: 'nobody@example.org' };
    const settings = { ...sandbox.fcm, account, deadlineMs: DEADLINE_MS };
    const sut = new FcmTransport(settings);
    expect(await sut.send(pushTo(androidToken()))).toEqual({
      kind: 'misconfigured',
      reason: 'invalid_grant',
    });
    await sut.close();
  });
});
