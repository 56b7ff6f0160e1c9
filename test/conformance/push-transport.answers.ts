import { expect } from '@jest/globals';
import pLimit from 'p-limit';
import { accepted, type Case } from './push-transport.world.js';

/** What a provider says, and how we sign in with it. */
export const answers = {
  'has a push shown on the phone': async (world) => {
    const push = world.push();
    expect(await world.open().send(push)).toEqual(accepted);
    const [shown] = await world.sandbox.control.shownOn(push.token);
    expect(JSON.stringify(shown?.payload)).toContain('chat.example.org');
  },

  'has each push of a burst on a new connection shown once': async (world) => {
    // Over HTTP/1.1 that is sixteen handshakes, which take a busy machine longer than the usual deadline.
    const sut = world.open({ deadlineMs: 10_000 });
    const pushes = world.pushes(50);
    const got = await pLimit(16).map(pushes, (push) => sut.send(push));
    expect(got).toEqual(pushes.map(() => accepted));
    expect(await world.sandbox.control.deliveries()).toHaveLength(50);
  },

  'tells that a token is dead, and since when if the provider says so': async (world) => {
    const { platform, dead, deadAnswer } = world.driver;
    const push = world.push();
    await world.sandbox.control.answer(push.token, { platform, ...dead });
    expect(await world.open().send(push)).toMatchObject(deadAnswer);
  },

  'passes on how long to wait, and does not try again by itself': async (world) => {
    const push = world.push();
    await world.setMode({ mode: 'throttle', retry_after: 7 });
    const answer = await world.open().send(push);
    expect(answer).toMatchObject({ ...world.driver.throttled, retryAfterMs: 7000 });
    expect(await world.attemptsOn(push.token)).toEqual([429]);
  },

  'tells of a provider in trouble at once, and does not try again by itself': async (world) => {
    const { platform, unavailable: reason } = world.driver;
    const push = world.push();
    const orders = { platform, status: 503, reason, retry_after: 3 };
    await world.sandbox.control.answer(push.token, orders);
    const answer = await world.open().send(push);
    expect(answer).toMatchObject({ status: 503, reason, retryAfterMs: 3000 });
    expect(await world.attemptsOn(push.token)).toEqual([503]);
  },

  'reads a refusal without a body': async (world) => {
    const { platform } = world.driver;
    const push = world.push();
    await world.sandbox.control.answer(push.token, { platform, status: 500 });
    expect(await world.open().send(push)).toMatchObject({ kind: 'refused', status: 500 });
  },

  'tells that the credentials are refused': async (world) => {
    await world.setMode({ mode: 'bad_credentials' });
    const answer = await world.open().send(world.push());
    expect(answer).toMatchObject(world.driver.badCredentials);
  },

  'tells that its service account is refused': async (world) => {
    const account = { ...world.sandbox.fcm.account, clientEmail: 'nobody@example.org' };
    const fcm = { ...world.sandbox.fcm, account };
    const sut = world.driver.open({ ...world.sandbox, fcm }, {});
    world.closeLater(() => sut.close());
    const answer = await sut.send(world.push());
    expect(answer).toEqual({ kind: 'misconfigured', reason: 'invalid_grant' });
  },

  'sends once more when its token is refused, with another': async (world) => {
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

  'sends with the provider token that all workers share': async (world) => {
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

  'does not send without a topic, nor with one that is none': async (world) => {
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

  'does not send what was withdrawn before it was on the wire': async (world) => {
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
