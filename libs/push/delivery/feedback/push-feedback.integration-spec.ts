import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Metrics } from '#platform/telemetry';
import { DirectTestService } from '#push/notifications';
import { refusal } from '#push/providers';
import { EncryptedPhone } from '#test/encrypted-phone';
import { eventually } from '#test/eventually';
import { LoggingProxy } from '#test/logging-proxy';
import { PushRegistrations } from '#test/push-registrations';
import { usePushSystem } from '#test/push-system';
import { PushWorld } from '#test/push-world';
import { FeedbackRepository } from './feedback.repository.js';
import { signatureOf } from './feedback.rules.js';
import { FeedbackSweep } from './feedback-sweep.js';
import type { WebhookSettings } from './push-feedback.js';

const SECRET = 'a secret of operators';
const system = usePushSystem();
let world: PushWorld;

interface Received {
  readonly path: string | undefined;
  readonly signature: unknown;
  readonly body: string;
}

/** The receiver of an operator; it answers with the next of these states, and then always with 204. */
class Receiver {
  readonly received: Received[] = [];
  readonly statuses: number[] = [];
  readonly #server: Server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      this.received.push({
        path: request.url,
        signature: request.headers['carillon-signature'],
        body,
      });
      const status = this.statuses.shift() ?? 204;
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
    });
  });

  async start(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  get url(): string {
    // A server on TCP has an address of this shape.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  get events(): Record<string, unknown>[] {
    return this.received.flatMap(
      ({ body }) => (JSON.parse(body) as { events: Record<string, unknown>[] }).events,
    );
  }

  stop(): void {
    this.#server.close();
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

let receiver: Receiver;

beforeEach(async () => {
  world = await PushWorld.in(system);
  receiver = new Receiver();
  await receiver.start();
  await system.database.prisma.pushFeedback.deleteMany();
});

afterEach(async () => {
  await system.stopWorkers();
  receiver.stop();
  jest.restoreAllMocks();
});

const startWorker = (changes: Partial<WebhookSettings> = {}, isLogged = false) =>
  system.startWorker(
    { apns: world.apns, fcm: world.fcm },
    {
      feedback: {
        isLogged,
        webhook: {
          url: receiver.url,
          secrets: [SECRET],
          successPercent: 0,
          hasUserIds: false,
          everyMs: 50,
          ...changes,
        },
      },
    },
  );

const refuseAll = () =>
  world.fcm.answerWith(() =>
    refusal({ status: 400, reason: 'INVALID_ARGUMENT', invalidFields: 'other' }),
  );

const stored = () => system.database.prisma.pushFeedback.findMany();

describe('Feedback for operators', () => {
  it('posts how a delivery ended, signed and without secrets', async () => {
    refuseAll();
    const token = await world.addPhone();
    await startWorker();
    await world.sendTest();
    await world.ended('rejected');
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [{ path, signature, body } = { path: '', signature: '', body: '' }] = receiver.received;
    const [event] = receiver.events;
    expect(event).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      ended_at: expect.any(Number),
      organisation_id: expect.any(Number),
      notification_id: expect.stringMatching(/^[\da-f-]{36}$/),
      kind: 'test',
      platform: 'fcm',
      app_id: null,
      outcome: 'rejected',
      reason: 'INVALID_ARGUMENT',
      attempts: 1,
      device: expect.stringMatching(/^[\da-f]{12}$/),
    });
    expect(path).toBe('/hook');
    expect(body).not.toContain(token);
    const seconds = Number(/^t=(\d+),/.exec(String(signature))?.[1]);
    expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(60);
    expect(signature).toBe(signatureOf(body, [SECRET], seconds));
    await eventually(async () => expect(await stored()).toEqual([]));
  });

  it('tells nothing of delivered ones unless it is asked to', async () => {
    await world.addPhone();
    await startWorker();
    await world.sendTest();
    await world.ended('delivered');
    expect(await stored()).toEqual([]);
    await system.stopWorkers();
    await startWorker({ successPercent: 100, hasUserIds: true });
    await world.sendTest();
    await eventually(() =>
      expect(receiver.events).toMatchObject([
        { outcome: 'delivered', reason: null, user_id: world.account.userId },
      ]),
    );
  });

  it('names the account of a delivery that ends without an attempt', async () => {
    await world.addPhone();
    await world.sendTest();
    await system.database.prisma.user.update({
      where: { id: world.account.userId },
      data: { isActive: false },
    });
    await startWorker({ hasUserIds: true });
    await eventually(() =>
      expect(receiver.events).toMatchObject([
        { outcome: 'revoked', attempts: 0, user_id: world.account.userId },
      ]),
    );
  });

  it('knows the account and the token of an encrypted phone', async () => {
    refuseAll();
    await startWorker({ hasUserIds: true });
    const phones = new PushRegistrations(system);
    const phone = EncryptedPhone.android(await phones.addPushKey());
    await phones.register(world.account, phone);
    await eventually(async () => {
      const device = { where: { id: phone.deviceId } };
      const { pushTokenId } = await system.database.prisma.clientDevice.findUniqueOrThrow(device);
      expect(pushTokenId).not.toBeNull();
    });
    await system.service(DirectTestService).sendEncrypted(world.account, null);
    await eventually(() =>
      expect(receiver.events).toMatchObject([
        { outcome: 'rejected', user_id: world.account.userId, device: expect.any(String) },
      ]),
    );
  });

  it.each([500, 302])('posts again what the receiver answered with %d', async (status) => {
    receiver.statuses.push(status);
    refuseAll();
    await world.addPhone();
    await startWorker();
    await world.sendTest();
    await eventually(() => expect(receiver.received).toHaveLength(2));
    const [first, second] = receiver.events;
    expect(second).toEqual(first);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook']);
    await eventually(async () => expect(await stored()).toEqual([]));
  });

  it('keeps what a killed worker has not posted, and posts it once', async () => {
    refuseAll();
    await world.addPhone();
    await startWorker({ url: 'http://127.0.0.1:1/hook' });
    await world.sendTest();
    await world.ended('rejected');
    await system.stopWorkers();
    expect(await stored()).toHaveLength(1);
    await startWorker();
    await eventually(async () => expect(await stored()).toEqual([]));
    expect(receiver.events).toHaveLength(1);
  });

  it('stores an end once that is recorded again after a crash', async () => {
    const repository = new FeedbackRepository(system.database);
    const end = {
      id: '6c1d7d0a-58a5-4f3e-9d61-0b1a6f0f7a01',
      notificationId: '6c1d7d0a-58a5-4f3e-9d61-0b1a6f0f7a02',
      deviceId: 2_000_000_000,
      platform: 'fcm',
      kind: 'test',
      appId: null,
      state: 'rejected',
      reason: 'x',
      attempts: 1,
    } as const;
    await repository.add(end);
    await repository.add({ ...end, reason: 'y' });
    expect(await stored()).toMatchObject([{ reason: 'x', realmId: null, device: null }]);
  });

  it('goes through the proxy', async () => {
    const proxy = await LoggingProxy.start();
    refuseAll();
    await world.addPhone();
    await startWorker({ proxy: proxy.client() });
    await world.sendTest();
    await eventually(() => expect(receiver.events).toHaveLength(1));
    expect(proxy.requests).toMatchObject([{ authority: new URL(receiver.url).host }]);
    await system.stopWorkers();
    await proxy.stop();
  });

  it('forgets after a day what the receiver has not taken, and counts it', async () => {
    const repository = new FeedbackRepository(system.database);
    const at = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const event = { platform: 'fcm', kind: 'test', outcome: 'expired', attempts: 0 };
    const id = (last: number) => `6c1d7d0a-58a5-4f3e-9d61-0b1a6f0f7b0${last}`;
    await system.database.prisma.pushFeedback.createMany({
      data: [
        { ...event, id: id(1), notificationId: id(1), endedAt: at(25) },
        { ...event, id: id(2), notificationId: id(2), endedAt: at(23) },
      ],
    });
    const metrics = new Metrics();
    await new FeedbackSweep(repository, metrics).sweep();
    expect(await stored()).toMatchObject([{ id: id(2) }]);
    expect(await metrics.read()).toContain('carillon_push_feedback_skipped_total 1');
  });

  it('logs an entry for each end but delivered ones', async () => {
    const entries: unknown[] = [];
    jest.spyOn(Logger.prototype, 'log').mockImplementation((entry: unknown) => {
      entries.push(entry);
    });
    const token = await world.addPhone();
    await startWorker({}, true);
    await world.sendTest();
    await world.ended('delivered');
    refuseAll();
    await world.sendTest();
    await world.ended('delivered', 'rejected');
    const ends = entries.filter((entry) => JSON.stringify(entry).includes('push.ended'));
    expect(ends).toMatchObject([
      { message: 'push.ended', outcome: 'rejected', reason: 'INVALID_ARGUMENT', attempts: 1 },
    ]);
    expect(JSON.stringify(ends)).not.toContain(token);
  });
});
