import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { queueNames } from '#contracts';
import { eventually } from '../support/eventually.js';
import { layWire } from '../support/severable-wire.js';
import { testRedisUrl } from '../support/test-stores.js';
import { OpsApp } from './ops.app.js';
import type { WorldDevice } from './push-operate.world.js';

const anHourFromNow = () => new Date(Date.now() + 3_600_000);

describe('the ops page', () => {
  let sut: OpsApp;
  let userId: number;
  let phone: WorldDevice;

  const texts = async (path: string): Promise<string> => JSON.stringify((await sut.get(path)).body);

  beforeAll(async () => {
    sut = await OpsApp.start();
    ({ id: userId } = await sut.world.addPerson('Mara@example.org'));
    phone = await sut.world.addDevice(userId, 'apns');
  });
  afterAll(() => sut.stop());

  describe('its overview', () => {
    it('shows queues, workers, credentials and what came of deliveries', async () => {
      const now = Date.now();
      const step = Math.floor(now / 10_000) * 10_000;
      const counts = { 'apns:delivered': 7, 'fcm:accepted': 2 };
      await sut.activity.addOutcomes([{ at: step, counts }]);
      const open = {
        state: 'open',
        cause: null,
        reason: null,
        since: null,
        reopensAt: null,
      } as const;
      const shut = { state: 'shut', cause: 'outage', reason: 'reset', since: now - 700 } as const;
      await sut.activity.report({
        id: randomUUID(),
        host: hostname(),
        pid: 4711,
        version: '0.1.0',
        queues: [...queueNames],
        startedAt: now - 5000,
        reportedAt: now,
        inFlight: 3,
        oldestInFlightAt: { apns: now, fcm: null },
        gates: [
          { key: 'apns:TEAM', platform: 'apns', ...open },
          { key: 'fcm:chat', platform: 'fcm', ...shut, reopensAt: now + 5000 },
        ],
        pruneAlarms: [],
      });
      const { status, body } = await sut.get('/ops/api/overview');
      expect(status).toBe(200);
      expect(body).toMatchObject({
        at: expect.any(Number),
        troubles: [
          { severity: 'alarm', text: expect.stringMatching(/fcm:chat: reset/), since: now - 700 },
        ],
        pipeline: {
          platforms: {
            apns: { isPaused: false, hasWorkers: true, isShut: false, waiting: 0 },
            fcm: { isShut: true },
          },
          queues: queueNames.map((name) => ({ name, waiting: 0, isPaused: false })),
          credentials: [{ key: 'fcm:chat', workers: 1 }, { key: 'apns:TEAM' }],
          workers: [{ pid: 4711, inFlight: 3 }],
        },
        deadLetters: [],
      });
      const { history } = body['pipeline'] as {
        history: { times: number[]; series: { apns: { delivered: number[] } } };
      };
      const at = history.times.indexOf(step);
      expect(history.series.apns.delivered[at]).toBe(7);
      expect(history.series.apns.delivered).toHaveLength(history.times.length);
    });

    it('tells what is not sent yet, since when, and what it was not taken for', async () => {
      const ofMinutesAgo = async (minutes: number, reason?: string) => {
        const acceptedAt = new Date(Date.now() - minutes * 60_000);
        const id = await sut.world.addNotification(userId, { acceptedAt });
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
      await sut.world.database.prisma.pushNotification.deleteMany({ where: { userId } });
    });

    it('still shows the dead letters while Redis is away', async () => {
      const wire = await layWire(testRedisUrl());
      const cutOff = await OpsApp.start({ redisUrl: wire.url });
      await wire.sever();
      const { status, body } = await cutOff.get('/ops/api/overview');
      expect(status).toBe(200);
      expect(body).toMatchObject({ pipeline: null, deadLetters: [] });
      expect(JSON.stringify(body['troubles'])).toMatch('Redis does not answer');
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

    it('are paused and go on', async () => {
      expect((await sut.post('/ops/api/platforms/fcm/pause')).status).toBe(200);
      expect(await isPaused()).toBe(true);
      expect(await texts('/ops/api/overview')).toMatch('Google (FCM) is paused.');
      expect((await sut.post('/ops/api/platforms/fcm/resume')).status).toBe(200);
      expect(await isPaused()).toBe(false);
    });

    it('are apns and fcm', async () => {
      for (const verb of ['pause', 'resume']) {
        const reply = await sut.post(`/ops/api/platforms/web/${verb}`);
        expect(reply.status).toBe(400);
        expect(reply.body).toEqual({
          error: 'There is no platform "web": expected apns or fcm',
        });
      }
    });
  });

  describe('its dead letters', () => {
    const listed = async (reason: string) => {
      const { body } = await sut.get(`/ops/api/dead-letters?reason=${reason}`);
      return body['deadLetters'] as { id: string }[];
    };

    it('are listed by reason, with the fingerprint and never the token', async () => {
      const notificationId = await sut.world.addDeadLetter(phone, 'BadTopic');
      expect(await listed('BadTopic')).toEqual([
        {
          id: `${notificationId}/${phone.id}`,
          notificationId,
          deviceId: phone.id,
          userId: phone.userId,
          platform: 'apns',
          kind: 'test',
          reason: 'BadTopic',
          fingerprint: phone.fingerprint,
          payload: { aps: { alert: 17 } },
          createdAt: expect.any(Number),
        },
      ]);
      expect(await texts('/ops/api/dead-letters')).not.toContain(phone.token);
      expect(await texts('/ops/api/overview')).toMatch('There is a dead letter: BadTopic.');
    });

    it('are sent again one by one, or all of a reason', async () => {
      for (let count = 0; count < 3; count += 1) await sut.world.addDeadLetter(phone, 'BadPath');
      const [first] = await listed('BadPath');
      const one = await sut.post('/ops/api/dead-letters/requeue', { ids: first?.id });
      expect(one).toMatchObject({ status: 200, body: { requeued: 1 } });
      expect(await listed('BadPath')).toHaveLength(2);
      const rest = await sut.post('/ops/api/dead-letters/requeue', { reason: 'BadPath' });
      expect(rest.body).toEqual({ requeued: 2 });
      expect(await listed('BadPath')).toHaveLength(0);
    });

    it('are dismissed one by one, or all', async () => {
      const ids = [
        `${await sut.world.addDeadLetter(phone, 'A')}/${phone.id}`,
        `${await sut.world.addDeadLetter(phone, 'A')}/${phone.id}`,
        `${await sut.world.addDeadLetter(phone, 'B')}/${phone.id}`,
      ];
      const two = await sut.post('/ops/api/dead-letters/dismiss', {
        ids: ids.slice(0, 2).join(', '),
      });
      expect(two.body).toEqual({ dismissed: 2 });
      expect(await listed('B')).toHaveLength(1);
      await sut.post('/ops/api/dead-letters/dismiss', { all: 'true' });
      expect(await listed('B')).toHaveLength(0);
    });

    it.each([
      ['nothing', {}, 'expected exactly one of ids, reason and all=true'],
      ['two things', { all: 'true', reason: 'A' }, 'expected exactly one of'],
      ['an id that is none', { ids: '17' }, '"17" is no id of a dead letter'],
      ['all=false', { all: 'false' }, 'all: expected true'],
      ['an empty reason', { reason: '' }, 'reason:'],
      ['something else', { everything: 'true' }, 'everything'],
    ])('are left alone when asked for %s', async (_what, fields, message) => {
      await sut.world.addDeadLetter(phone, 'Kept');
      for (const verb of ['requeue', 'dismiss']) {
        const reply = await sut.post(`/ops/api/dead-letters/${verb}`, fields);
        expect(reply.status).toBe(400);
        expect(reply.body['error']).toMatch(message);
      }
      expect((await sut.send('/ops/api/dead-letters/requeue', { method: 'POST' })).status).toBe(
        401,
      );
      expect(await listed('Kept')).not.toHaveLength(0);
    });

    it.each(['limit=0', 'limit=201', 'limit=many', 'reason=', 'platforms=apns'])(
      'are not listed by %s',
      async (query) => {
        const { status, body } = await sut.get(`/ops/api/dead-letters?${query}`);
        expect(status).toBe(400);
        expect(body['error']).toMatch(query.split('=')[0] ?? '');
      },
    );
  });

  describe('its search', () => {
    let notificationId: string;

    beforeAll(async () => {
      notificationId = await sut.world.addNotification(phone.userId, { kind: 'remove' });
      await sut.world.addDelivery(notificationId, phone, {
        attempts: 1,
        dueAt: anHourFromNow(),
        history: [{ at: '2026-02-03T04:05:06.000Z', reason: 'TooManyRequests', next: null }],
      });
    });

    const idsFor = async (query: string): Promise<string[]> => {
      const { body } = await sut.get(`/ops/api/notifications?${query}`);
      return (body['notifications'] as { id: string }[]).map(({ id }) => id);
    };

    it('tells what happened to a notification, in UNIX milliseconds', async () => {
      const { body } = await sut.get(`/ops/api/notifications?notification=${notificationId}`);
      expect(body).toEqual({
        notifications: [
          {
            id: notificationId,
            kind: 'remove',
            userId: phone.userId,
            acceptedAt: expect.any(Number),
            expiresAt: expect.any(Number),
            states: { pending: 1 },
            deliveries: [
              {
                deviceId: phone.id,
                platform: 'apns',
                appId: 'org.carillon.demo',
                fingerprint: phone.fingerprint,
                state: 'pending',
                attempts: 1,
                reason: null,
                history: [
                  { at: Date.UTC(2026, 1, 3, 4, 5, 6), reason: 'TooManyRequests', next: null },
                ],
                dueAt: expect.any(Number),
                endedAt: null,
              },
            ],
          },
        ],
      });
    });

    it('finds it by account, address, device and fingerprint', async () => {
      expect(await idsFor(`user=${phone.userId}`)).toContain(notificationId);
      expect(await idsFor('email=mara@EXAMPLE.org&realm=chat')).toContain(notificationId);
      expect(await idsFor(`device=${phone.id}`)).toContain(notificationId);
      expect(await idsFor(`fingerprint=${phone.fingerprint.toUpperCase()}`)).toContain(
        notificationId,
      );
      expect(await idsFor(`user=${phone.userId}&limit=1`)).toHaveLength(1);
      expect(await idsFor(`notification=${randomUUID()}`)).toEqual([]);
    });

    it.each([
      ['', 'expected exactly one of notification, user, device, fingerprint, email'],
      ['user=1&device=2', 'expected exactly one of'],
      ['notification=17', 'notification: expected the id of a notification'],
      ['user=-1', 'user: expected the number of an account'],
      ['user=99999999999', 'user: expected the number of an account'],
      ['device=2147483648', 'device: expected the number of a device'],
      ['fingerprint=abc', 'fingerprint: expected the first 12 hexadecimal digits'],
      ['email=', 'email'],
      ['user=1&user=2', 'user: is given twice'],
      ['user=1&limit=101', 'limit: expected a number from 1 to 100'],
      ['user=1&color=red', 'color'],
    ])('refuses "%s", and says why', async (query, message) => {
      const { status, body } = await sut.get(`/ops/api/notifications?${query}`);
      expect(status).toBe(400);
      expect(body['error']).toMatch(message);
    });

    it.each([
      ['email=mara@example.org&realm=nowhere', 'no organisation with the subdomain "nowhere"'],
      ['email=nobody@example.org&realm=chat', 'Chat has no account "nobody@example.org"'],
    ])('knows no %s', async (query, message) => {
      const { status, body } = await sut.get(`/ops/api/notifications?${query}`);
      expect(status).toBe(404);
      expect(body['error']).toMatch(message);
    });
  });
});
