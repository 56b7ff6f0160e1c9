import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { queueNames } from '#push/jobs';
import { eventually } from '#test/eventually';
import { startTcpProxy } from '#test/tcp-proxy';
import { testRedisUrl } from '#test/test-stores';
import { OpsApp } from '#test/ops-app';
import { useFixture } from '#test/use-fixture';

describe('the ops page', () => {
  const sut = useFixture(() => OpsApp.start());
  const phone = useFixture(() => sut.addPhone());

  it.each([
    ['/ops/api/dead-letters?reason=%00', 'reason'],
    ['/ops/api/notifications?email=a%00@example.org', 'email'],
    ['/ops/api/notifications?email=a@example.org&realm=%00', 'realm'],
    ['/ops/api/notifications?message=1&of=%00', 'of'],
    ['/ops/api/servers?host=%00', 'host'],
    ['/ops/api/servers/details?server=chat%00', 'server'],
  ])('refuses %s', async (path, name) => {
    const error = `${name}: expected a text without NUL characters`;
    expect(await sut.get(path)).toMatchObject({ status: 400, body: { error } });
  });

  it.each([
    ['dead-letters/dismiss', { reason: '\0' }, 'reason'],
    ['dead-letters/requeue', { reason: '\0' }, 'reason'],
    ['servers/limit', { server: '\0', requests: '', pushes: '', devices: '' }, 'server'],
    ['servers/start', { organisation: '\0' }, 'organisation'],
    ['servers/stop', { server: 'chat.test', reason: '\0' }, 'reason'],
  ])('refuses %s with a NUL character', async (path, fields, name) => {
    const error = `${name}: expected a text without NUL characters`;
    const reply = await sut.post(`/ops/api/${path}`, fields);
    expect(reply).toMatchObject({ status: 400, body: { error } });
  });

  it.each([
    ['text/plain', 'server=chat.test', 415, 'Unsupported media type'],
    ['application/json', '["chat.test"]', 400, 'Malformed JSON'],
    ['application/x-www-form-urlencoded', 'server=%ff', 400, 'The body is not encoded in UTF-8'],
  ])('says why it cannot read a body of the type %s', async (type, body, status, error) => {
    const headers = { authorization: 'Bearer a token that nobody guesses', 'content-type': type };
    const reply = await sut.send('/ops/api/servers/start', { method: 'POST', headers, body });
    expect(reply).toMatchObject({ status, body: { error } });
  });

  describe('its overview', () => {
    it('shows queues, workers, credentials and outcomes', async () => {
      const now = Date.now();
      const step = Math.floor(now / 10_000) * 10_000;
      const counts = { 'apns:delivered': 7, 'fcm:accepted': 2 };
      await sut.activity.addOutcomes([{ at: step, counts }]);
      const closed = {
        state: 'closed',
        cause: null,
        reason: null,
        since: null,
        reopensAt: null,
      } as const;
      const opened = { state: 'open', cause: 'outage', reason: 'reset', since: now - 700 } as const;
      await sut.activity.workers.report({
        id: randomUUID(),
        host: hostname(),
        pid: 4711,
        version: '0.1.0',
        queues: [...queueNames],
        startedAt: now - 5000,
        reportedAt: now,
        inFlight: 3,
        oldestInFlightAt: { apns: now, fcm: null },
        breakers: [
          { key: 'apns:TEAM', platform: 'apns', ...closed },
          { key: 'fcm:chat', platform: 'fcm', ...opened, reopensAt: now + 5000 },
        ],
        pruneAlarms: [],
      });
      const { status, body } = await sut.get('/ops/api/overview');
      expect(status).toBe(200);
      expect(body).toMatchObject({
        at: expect.any(Number),
        alerts: [
          {
            severity: 'alarm',
            text: expect.stringMatching(/fcm:chat is stopped: reset/),
            since: now - 700,
          },
        ],
        pipeline: {
          platforms: {
            apns: { isPaused: false, hasWorkers: true, isStopped: false, waiting: 0 },
            fcm: { isStopped: true },
          },
          queues: queueNames.map((name) => ({ name, waiting: 0, isPaused: false })),
          credentials: [{ key: 'fcm:chat', workers: 1 }, { key: 'apns:TEAM' }],
          workers: [{ pid: 4711, inFlight: 3 }],
        },
        deadLetters: [],
        events: { gateways: expect.any(Array), queues: { count: 0, most: 100_000 } },
      });
      const { history } = body['pipeline'] as {
        history: { times: number[]; series: { apns: { delivered: number[] } } };
      };
      const at = history.times.indexOf(step);
      expect(history.series.apns.delivered[at]).toBe(7);
      expect(history.series.apns.delivered).toHaveLength(history.times.length);
    });

    it('shows pending deliveries, their age and the reason of their last failure', async () => {
      const ofMinutesAgo = async (minutes: number, reason?: string) => {
        const acceptedAt = new Date(Date.now() - minutes * 60_000);
        const id = await sut.world.addNotification(phone.userId, { acceptedAt });
        await sut.world.addDelivery(id, phone, { ...(reason !== undefined && { reason }) });
      };
      await ofMinutesAgo(9);
      await ofMinutesAgo(4, 'TooManyRequests');
      await ofMinutesAgo(3, 'TooManyRequests');
      await ofMinutesAgo(2, 'deadline');
      const { body } = await eventually(async () => {
        const reply = await sut.get('/ops/api/overview');
        expect(reply.body).toMatchObject({ backlog: [{ count: 4 }] });
        return reply;
      });
      const [row] = body['backlog'] as { oldestMs: number; retried: { oldestMs: number } }[];
      expect(row).toMatchObject({
        platform: 'apns',
        count: 4,
        retried: { count: 3, reason: 'TooManyRequests' },
      });
      expect(Math.round((row?.oldestMs ?? 0) / 60_000)).toBe(9);
      expect(Math.round((row?.retried.oldestMs ?? 0) / 60_000)).toBe(4);
      await sut.world.database.prisma.pushNotification.deleteMany({
        where: { userId: phone.userId },
      });
    });

    it('shows how many phones there are', async () => {
      const { body } = await sut.get('/ops/api/overview');
      expect(body['phones']).toEqual([
        { platform: 'apns', active: 1, stale: 0 },
        { platform: 'fcm', active: 0, stale: 0 },
        { platform: 'web', active: 0, stale: 0 },
      ]);
    });

    it('shows the dead letters while Redis is down', async () => {
      const proxy = await startTcpProxy(testRedisUrl());
      const cutOff = await OpsApp.start({ redisUrl: proxy.url });
      await proxy.close();
      const { status, body } = await cutOff.get('/ops/api/overview');
      expect(status).toBe(200);
      expect(body).toMatchObject({ pipeline: null, deadLetters: [] });
      expect(body['events']).toEqual({ gateways: null, queues: { count: 0, most: 100_000 } });
      expect(JSON.stringify(body['alerts'])).toMatch('Redis does not answer');
      const pause = await cutOff.post('/ops/api/platforms/apns/pause');
      expect(pause.status).toBe(503);
      expect(pause.body['error']).toMatch('does not answer');
      expect((await cutOff.get('/ops/queues/api/queues')).status).toBe(503);
      await cutOff.stop();
    });
  });

  describe('its platforms', () => {
    const isPaused = async (): Promise<unknown> => {
      const { body } = await sut.get('/ops/api/overview');
      return (body as { pipeline: { platforms: Record<string, { isPaused: boolean }> } }).pipeline
        .platforms['fcm']?.isPaused;
    };

    it('are paused and resumed', async () => {
      expect((await sut.post('/ops/api/platforms/fcm/pause')).status).toBe(200);
      expect(await isPaused()).toBe(true);
      expect(await sut.text('/ops/api/overview')).toMatch('Google (FCM) is paused.');
      expect((await sut.post('/ops/api/platforms/fcm/resume')).status).toBe(200);
      expect(await isPaused()).toBe(false);
    });

    it('are apns, fcm and web', async () => {
      for (const verb of ['pause', 'resume']) {
        const reply = await sut.post(`/ops/api/platforms/wns/${verb}`);
        expect(reply.status).toBe(400);
        expect(reply.body).toEqual({
          error: 'There is no platform "wns": expected apns, fcm, web',
        });
      }
    });
  });
});
