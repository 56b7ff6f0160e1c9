import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from '@jest/globals';
import pLimit from 'p-limit';
import { installationId } from '#test/push-tokens';
import { accepted, type Case, lost } from './push-transport.world.js';

/** Cases of the provider's answers and of our authentication. */
export const answers = {
  'shows a push on the phone': async (world) => {
    const push = world.push();
    expect(await world.open().send(push)).toEqual(accepted);
    const [shown] = await world.sandbox.control.shownOn(push.token);
    expect(JSON.stringify(shown?.payload)).toContain('chat.example.org');
  },

  'shows each push of a burst on a new connection once': async (world) => {
    const sut = world.open();
    const pushes = world.pushes(50);
    const got = await pLimit(16).map(pushes, (push) => sut.send(push));
    expect(got).toEqual(pushes.map(() => accepted));
    expect(await world.sandbox.control.deliveries()).toHaveLength(50);
  },

  'has the id of a push in the development environment': async (world) => {
    const { control, apnsSandboxPort } = world.sandbox;
    const push = world.push();
    await control.answer(push.token, { platform: 'apns', environment: 'sandbox' });
    const uniqueId = expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown;
    const sut = world.open({ port: apnsSandboxPort });
    expect(await sut.send(push)).toEqual({ ...accepted, uniqueId });
  },

  'tells iOS not to draw attention to a push': async (world) => {
    const place = { kind: 'channel', channelId: 1, channelName: 'a', topic: 'b' } as const;
    const sender = { id: 1, email: 'a@example.org', fullName: 'A', avatarUrl: 'https://a.example' };
    const message = { id: 1, sentAt: 1, text: 'Soup?', sender, place };
    const content = { kind: 'message', trigger: { kind: 'channel' }, message } as const;
    const push = world.push({ content: { ...content, isPassive: true } });
    expect(await world.open().send(push)).toEqual(accepted);
    const [shown] = await world.sandbox.control.shownOn(push.token);
    expect(shown?.payload).toMatchObject({ aps: { 'interruption-level': 'passive' } });
  },

  'shows a reminder in the place of what it reminds of': async (world) => {
    const sut = world.open();
    const first = world.push();
    expect(await sut.send(first)).toEqual(accepted);
    const reminder = world.push({ token: first.token, replaces: first.notificationId });
    expect(await sut.send(reminder)).toEqual(accepted);
    const screen = await world.sandbox.control.screenOf(first.token);
    expect(screen?.notifications).toHaveLength(1);
  },

  'reports a dead token, with the time if the provider has it': async (world) => {
    const { platform, dead, deadAnswer } = world.driver;
    const push = world.push();
    await world.sandbox.control.answer(push.token, { platform, ...dead });
    expect(await world.open().send(push)).toMatchObject(deadAnswer);
  },

  'returns Retry-After, and does not retry': async (world) => {
    const push = world.push();
    await world.setMode({ mode: 'throttle', retry_after: 7 });
    const answer = await world.open().send(push);
    expect(answer).toMatchObject({ ...world.driver.throttled, retryAfterMs: 7000 });
    expect(await world.attemptsOn(push.token)).toEqual([429]);
  },

  'returns a 503 at once, and does not retry': async (world) => {
    const { platform, unavailable: reason } = world.driver;
    const push = world.push();
    const orders = { platform, status: 503, reason, retry_after: 3 };
    await world.sandbox.control.answer(push.token, orders);
    const answer = await world.open().send(push);
    expect(answer).toMatchObject({ status: 503, reason, retryAfterMs: 3000 });
    expect(await world.attemptsOn(push.token)).toEqual([503]);
  },

  'returns a refusal without a body': async (world) => {
    const { platform } = world.driver;
    const push = world.push();
    await world.sandbox.control.answer(push.token, { platform, status: 500 });
    expect(await world.open().send(push)).toMatchObject({ kind: 'refused', status: 500 });
  },

  'returns a 404 without a reason if it is not of the provider': async (world) => {
    const { platform } = world.driver;
    const sut = world.open();
    for (const orders of [{ status: 404 }, { status: 404, html: true }]) {
      const push = world.push();
      await world.sandbox.control.answer(push.token, { platform, ...orders });
      expect(await sut.send(push)).toMatchObject({ kind: 'refused', status: 404, reason: null });
    }
  },

  'tells a refusal of the token from one of the message': async (world) => {
    const sut = world.open();
    const cases = [
      [['message.token'], 'target'],
      [['message.fid'], 'target'],
      [['message.token', 'message.data'], 'other'],
      [['message.data'], 'other'],
      [[], null],
    ] as const;
    for (const [fields, invalidFields] of cases) {
      const push = world.push();
      const orders = { platform: 'fcm', reason: 'INVALID_ARGUMENT', bad_request: fields };
      await world.sandbox.control.answer(push.token, orders);
      expect(await sut.send(push)).toMatchObject({ reason: 'INVALID_ARGUMENT', invalidFields });
    }
  },

  'shows a push to an installation id': async (world) => {
    const push = world.push({ token: installationId() });
    expect(await world.open().send(push)).toEqual(accepted);
    expect(await world.sandbox.control.shownOn(push.token)).toHaveLength(1);
  },

  'names an installation id as such': async (world) => {
    const sut = world.open();
    const fid = installationId();
    // The form of the first is that of an id; the second is registered as one, the third as a token.
    const pushes = [
      world.push({ token: fid }),
      world.push({ token: fid, fcmTarget: 'fid' }),
      world.push({ token: fid, fcmTarget: 'token' }),
    ];
    for (const push of pushes) expect(await sut.send(push)).toEqual(accepted);
    const shown = await world.sandbox.control.shownOn(fid);
    const data = expect.any(Object) as unknown;
    expect(shown.map(({ payload }) => payload)).toMatchObject([
      { message: { fid, data } },
      { message: { fid, data } },
      { message: { token: fid, data } },
    ]);
  },

  'reports a dead installation id': async (world) => {
    const fid = installationId();
    const sut = world.open();
    await world.sandbox.control.answer(fid, { platform: 'fcm', reason: 'UNREGISTERED' });
    expect(await sut.send(world.push({ token: fid }))).toMatchObject(world.driver.deadAnswer);
    const orders = { platform: 'fcm', reason: 'INVALID_ARGUMENT', bad_request: ['message.fid'] };
    await world.sandbox.control.answer(fid, orders);
    expect(await sut.send(world.push({ token: fid }))).toMatchObject({
      reason: 'INVALID_ARGUMENT',
      invalidFields: 'target',
    });
  },

  'reports rejected credentials': async (world) => {
    await world.setMode({ mode: 'bad_credentials' });
    const answer = await world.open().send(world.push());
    expect(answer).toMatchObject(world.driver.badCredentials);
  },

  'reports a rejected service account': async (world) => {
    const account = { ...world.sandbox.fcm.account, clientEmail: 'nobody@example.org' };
    const fcm = { ...world.sandbox.fcm, account };
    const sut = world.driver.open({ ...world.sandbox, fcm }, {});
    world.closeLater(() => sut.close());
    const answer = await sut.send(world.push());
    expect(answer).toEqual({ kind: 'misconfigured', reason: 'invalid_grant' });
  },

  'takes a broken token endpoint for no answer': async (world) => {
    const replies = [
      [200, '<html>'],
      [200, ' '.repeat(1_000_000)],
      [500, ''],
    ] as const;
    let asked = 0;
    const endpoint = createServer(world.sandbox.server, (_request, response) => {
      const [status, body] = replies[asked] ?? [404, ''];
      asked += 1;
      response.writeHead(status).end(body);
    }).listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    world.closeLater(async () => {
      endpoint.closeAllConnections();
      await once(endpoint.close(), 'close');
    });
    const { port } = endpoint.address() as AddressInfo; // A server on TCP has an address of this shape.
    const account = {
      ...world.sandbox.fcm.account,
      tokenUri: `https://127.0.0.1:${port}/token`,
    };
    const fcm = { ...world.sandbox.fcm, account };
    const sut = world.driver.open({ ...world.sandbox, fcm }, {});
    world.closeLater(() => sut.close());
    for (let sent = 0; sent < replies.length; sent += 1) {
      expect(await sut.send(world.push())).toEqual(lost);
    }
    expect(asked).toBe(replies.length);
  },

  'repeats once with another token after a rejection of its token': async (world) => {
    const { status, body } = world.driver.tokenRefused;
    const tokens: unknown[] = [];
    const provider = await world.provider({
      handle: (request) => {
        tokens.push(request.headers['authorization']);
        if (tokens.length > 1) request.accept();
        else request.response.writeHead(status).end(body);
      },
    });
    const sut = world.open({ port: provider.port, deadlineMs: 5000 });
    expect(await sut.send(world.push())).toEqual(accepted);
    expect(new Set(tokens).size).toBe(2);
  },

  'uses the provider token that all workers share': async (world) => {
    const { credential } = world.sandbox.apns;
    const shared = credential.kind === 'token' ? await credential.tokens.current() : undefined;
    const provider = await world.provider();
    expect(await world.open({ port: provider.port }).send(world.push())).toEqual(accepted);
    expect(provider.requests[0]?.headers['authorization']).toBe(`bearer ${shared}`);
  },

  'signs in with a certificate': async (world) => {
    const provider = await world.provider({ requestCert: true });
    const { cert: certificate, key } = world.sandbox.server;
    const sut = world.driver.open(
      {
        ...world.sandbox,
        apns: { ...world.sandbox.apns, credential: { kind: 'certificate', certificate, key } },
      },
      { port: provider.port },
    );
    world.closeLater(() => sut.close());
    expect(await sut.send(world.push())).toEqual(accepted);
    const [request] = provider.requests;
    expect(request?.connection.clientCertificate).toContain('CERTIFICATE');
    expect(request?.headers).not.toHaveProperty('authorization');
  },

  'does not send without a valid topic': async (world) => {
    const sut = world.open();
    expect(await sut.send(world.push({ appId: null }))).toEqual({
      kind: 'unsendable',
      reason: 'MissingTopic',
    });
    expect(await sut.send(world.push({ appId: 'a\nb' }))).toEqual({
      kind: 'unsendable',
      reason: 'BadTopic',
    });
  },

  'does not send a push that was withdrawn before it was on the wire': async (world) => {
    const sut = world.open();
    let isWithdrawn = false;
    const push = world.push({ isWithdrawn: () => isWithdrawn });
    const sending = sut.send(push);
    isWithdrawn = true;
    expect(await sending).toEqual({ kind: 'withdrawn' });
    expect(await sut.send(world.push())).toEqual(accepted);
    expect(await sut.send(push)).toEqual({ kind: 'withdrawn' });
    expect(await world.attemptsOn(push.token)).toEqual([]);
  },
} satisfies Record<string, Case>;
