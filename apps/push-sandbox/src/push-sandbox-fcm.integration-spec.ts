import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { exchange, SandboxUnderTest } from '#test/push-sandbox-client';
import { useFixture } from '#test/use-fixture';

const device = 'cXJz:APA91b-example_token';
const fcmError = (errorCode: string) => ({
  '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
  errorCode,
});

describe('push sandbox: the FCM listener', () => {
  const sut = useFixture(() => SandboxUnderTest.start());
  let token: string;

  beforeAll(async () => {
    token = await sut.accessToken();
  });
  beforeEach(() => sut.reset());

  const setMode = (mode: object) => sut.control('PUT', '/api/platforms/fcm', mode);
  const send = (data: Record<string, string> = { event: 'test' }) =>
    sut.message(token, { token: device, data });

  it('accepts a message over HTTP/1.1 and lists it', async () => {
    const reply = await send();

    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      name: expect.stringMatching(/^projects\/carillon-demo\/messages\/0:\d+%[0-9a-f]+$/),
    });
    expect(await sut.deliveries()).toMatchObject([
      {
        platform: 'fcm',
        token: device,
        topic: null,
        headers: { authorization: '(hidden)', 'content-type': 'application/json' },
        payload: { message: { token: device, data: { event: 'test' } } },
        status: 200,
        reason: null,
      },
    ]);
  });

  it('ends the token of an app that registers its installation id, and the id after a token', async () => {
    const fid = 'cF-xYz0123456789_AbCdE';
    const statusOf = async (target: object) => (await sut.message(token, target)).status;
    const statuses = async () => [
      await statusOf({ fid }),
      await statusOf({ token: fid }),
      await statusOf({ token: `${fid}:APA91b` }),
    ];
    expect(await statuses()).toEqual([200, 200, 200]);
    await sut.control('PUT', `/api/installations/${fid}`, { registered: 'fid' });
    expect(await statuses()).toEqual([200, 200, 404]);
    await sut.control('PUT', `/api/installations/${fid}`, { registered: 'token' });
    const reply = await sut.message(token, { fid });
    expect(reply).toMatchObject({
      status: 404,
      json: { error: { status: 'NOT_FOUND', details: [fcmError('UNREGISTERED')] } },
    });
    expect(await statuses()).toEqual([404, 404, 200]);
    expect(await sut.deliveries(`?token=${fid}`)).toHaveLength(7);
  });

  it('accepts 100 messages at a time over HTTP/2', async () => {
    const session = await sut.connect(sut.ports.fcm);
    expect(session.remoteSettings.maxConcurrentStreams).toBe(100);

    const reply = await exchange(
      session,
      {
        ':method': 'POST',
        ':path': '/v1/projects/carillon-demo/messages:send',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      { message: { token: device } },
    );

    expect(reply.status).toBe(200);
  });

  it('accepts only its own access tokens, and only for its project', async () => {
    const message = { token: device };

    expect(await sut.message('ya29.nobodys', message)).toMatchObject({
      status: 401,
      json: { error: { code: 401, status: 'UNAUTHENTICATED' } },
    });
    const wrongProject = await sut.message(token, message, 'another-project');
    expect(wrongProject.json).toEqual({
      error: { code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' },
    });
  });

  it('issues access tokens for assertions of the service account only', async () => {
    const ask = async (form: Record<string, string>) => {
      const body = new URLSearchParams(form).toString();
      const reply = await sut.postOverHttp1('/token', {}, body);
      const json: unknown = JSON.parse(reply.body);
      return { status: reply.status, json };
    };
    const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' };
    const assertion = await sut.assertion();

    expect(await ask({ ...grant, assertion })).toMatchObject({
      status: 200,
      json: { token_type: 'Bearer', expires_in: 3599 },
    });
    const forGoogle = await sut.assertion({ aud: 'https://oauth2.googleapis.com/token' });
    expect(await ask({ ...grant, assertion: forGoogle })).toMatchObject({ status: 200 });
    const elsewhere = await sut.assertion({ aud: 'https://example.org/' });
    expect(await ask({ ...grant, assertion: elsewhere })).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
    const unsigned = `${assertion.slice(0, -8)}AAAAAAAA`;
    expect(await ask({ ...grant, assertion: unsigned })).toEqual({
      status: 400,
      json: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
    });
    const narrow = await sut.assertion({ scope: 'openid' });
    expect(await ask({ ...grant, assertion: narrow })).toMatchObject({
      status: 400,
      json: { error: 'invalid_scope' },
    });
    expect(await ask({ grant_type: 'password' })).toMatchObject({
      status: 400,
      json: { error: 'unsupported_grant_type' },
    });
  });

  it('answers a token as scripted', async () => {
    const script = { platform: 'fcm', reason: 'QUOTA_EXCEEDED', retry_after: 9, times: 1 };
    await sut.control('PUT', `/api/tokens/${encodeURIComponent(device)}`, script);

    const refused = await send();

    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '9' } });
    expect(refused.json).toMatchObject({
      error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: [fcmError('QUOTA_EXCEEDED')] },
    });
    expect((await send()).status).toBe(200);
    expect((await sut.deliveries()).map(({ status, reason }) => [status, reason])).toEqual([
      [429, 'QUOTA_EXCEEDED'],
      [200, null],
    ]);
  });

  const script = (answer: object) =>
    sut.control('PUT', `/api/tokens/${encodeURIComponent(device)}`, {
      platform: 'fcm',
      times: 1,
      ...answer,
    });

  it('answers with a page of a front end', async () => {
    await script({ status: 404, html: true, retry_after: 4 });
    const url = '/v1/projects/carillon-demo/messages:send';
    const headers = { authorization: `Bearer ${token}` };
    const reply = await sut.postOverHttp1(url, headers, `{"message":{"token":"${device}"}}`);
    expect(reply).toMatchObject({ status: 404, headers: { 'retry-after': '4' } });
    expect(reply.body).toMatch(/^<!DOCTYPE html>/);
  });

  it('shows a push that it has refused, or answers late', async () => {
    await script({ reason: 'UNAVAILABLE', shown: true });
    expect(await send()).toMatchObject({ status: 503 });
    await script({ reason: 'UNAVAILABLE' });
    expect(await send()).toMatchObject({ status: 503 });
    await script({ status: 200, delay_ms: 150 });
    const startedAt = performance.now();
    expect(await send()).toMatchObject({ status: 200 });
    expect(performance.now() - startedAt).toBeGreaterThan(140);
    const listed = await sut.deliveries();
    expect(listed.map(({ status, shown }) => [status, shown])).toEqual([
      [503, true],
      [503, false],
      [200, true],
    ]);
  });

  it('refuses a message that Google refuses', async () => {
    const reply = await sut.message(token, { token: device, data: { count: 1 } });
    expect(reply.json).toEqual({
      error: {
        code: 400,
        message: "Invalid value at 'message.data.count'",
        status: 'INVALID_ARGUMENT',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [
              { field: 'message.data.count', description: "Invalid value at 'message.data.count'" },
            ],
          },
        ],
      },
    });
  });

  it('counts messages that a phone shows twice by the id in their data', async () => {
    await send({ notification_id: 'n1', attempt: '1' });
    await send({ notification_id: 'n1', attempt: '2' });
    await send({ notification_id: 'n2' });
    await send({ content: 'without an id' });
    await send({ content: 'without an id' });

    const { json } = await sut.control('GET', '/api/deliveries/summary');
    expect(json).toMatchObject({ fcm: { '200': { attempts: 5, distinct: 3, duplicates: 2 } } });
  });

  describe('modes', () => {
    it('down: refuses connections, and recovers', async () => {
      await setMode({ mode: 'down' });
      await expect(send()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      await setMode({ mode: 'ok' });
      expect((await send()).status).toBe(200);
    });

    it('reset: drops the connection during a request', async () => {
      await setMode({ mode: 'reset' });
      await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' });
      await setMode({ mode: 'reset', shown: true });
      await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' });
      expect(await sut.deliveries()).toMatchObject([
        { status: null, reason: 'reset', shown: false },
        { status: null, reason: 'reset', shown: true },
      ]);
    });

    it('hang: never answers', async () => {
      await setMode({ mode: 'hang' });
      const outcome = send().then(
        () => 'answered',
        () => 'dropped',
      );
      while ((await sut.deliveries()).length === 0);
      await setMode({ mode: 'down' });
      expect(await outcome).toBe('dropped');
      expect(await sut.deliveries()).toMatchObject([{ status: null, reason: 'hang' }]);
    });

    it('slow, throttle and bad_credentials: answer according to the mode', async () => {
      await setMode({ mode: 'slow', delay_ms: 150 });
      const startedAt = performance.now();
      expect((await send()).status).toBe(200);
      expect(performance.now() - startedAt).toBeGreaterThan(140);

      await setMode({ mode: 'throttle', retry_after: 30 });
      expect(await send()).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });

      await setMode({ mode: 'bad_credentials' });
      expect((await send()).json).toMatchObject({
        error: { code: 401, details: [fcmError('THIRD_PARTY_AUTH_ERROR')] },
      });
    });

    it('goaway: ends the connection with the answer', async () => {
      await setMode({ mode: 'goaway' });
      expect(await send()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    });

    it('blackhole: the open connection becomes silent, a new one works', async () => {
      const open = await sut.connect(sut.ports.fcm);
      await setMode({ mode: 'blackhole' });
      const lost = exchange(
        open,
        { ':method': 'POST', ':path': '/v1/projects/carillon-demo/messages:send' },
        { message: { token: device } },
      );
      while ((await sut.deliveries()).length === 0);

      expect((await send()).status).toBe(200);
      open.destroy();
      await expect(lost).rejects.toThrow('closed without an answer');
      expect((await sut.deliveries()).map(({ reason }) => reason)).toEqual(['blackhole', null]);
    });
  });
});
