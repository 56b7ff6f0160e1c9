import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import { CircuitBreakers } from '#push/breakers';
import { PlatformPools } from './platform-pools.js';
import { refusal, UnconfiguredTransport } from '#push/providers';
import { eventually } from '#test/eventually';
import { DEMO_APP_ID, iphoneToken } from '#test/push-tokens';
import { usePushSystem } from '#test/push-system';
import { holdAnswers, PushWorld } from '#test/push-world';

const system = usePushSystem();
let world: PushWorld;

beforeEach(async () => {
  world = await PushWorld.in(system);
});

afterEach(() => system.stopWorkers());

describe('The delivery of notifications', () => {
  it('sends to every device of the account, and records it', async () => {
    await world.startWorker();
    const android = await world.addPhone();
    const iphone = await world.addIphone();
    await world.sendTest();
    const deliveries = await world.ended('delivered', 'delivered');
    expect(deliveries).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
    expect(world.fcm.sent).toMatchObject([
      { token: android, appId: null, content: { kind: 'test' } },
    ]);
    expect(world.apns.sent).toMatchObject([
      {
        token: iphone,
        appId: DEMO_APP_ID,
        recipient: { realmName: 'Push', realmUrl: 'https://chat.example.org' },
      },
    ]);
  });

  it('sends to hundreds of devices once, within the limit of concurrent pushes', async () => {
    await world.startWorker();
    const tokens = await system.addPhones(world.account, 230);
    let underWay = 0;
    let most = 0;
    world.fcm.answerWith(async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return { kind: 'accepted' };
    });
    await world.sendTest();
    await world.ended(...tokens.map(() => 'delivered'));
    expect(world.fcm.sent.map(({ token }) => token).toSorted()).toEqual(tokens.toSorted());
    // So many may wait that they get six tenths of the room and leave the rest to others.
    expect(most).toBe(5);
  });

  it('repeats a temporary failure as the same push', async () => {
    await world.startWorker();
    await world.addPhone();
    let tries = 0;
    world.fcm.answerWith(() => {
      tries += 1;
      return tries === 1 ? { kind: 'unanswered', reason: 'deadline' } : { kind: 'accepted' };
    });
    await world.sendTest();
    const [delivery] = await world.ended('delivered');
    expect(delivery).toMatchObject({ attempts: 2 });
    expect(world.fcm.sent).toHaveLength(2);
    expect(new Set(world.fcm.sent.map(({ deliveryId }) => deliveryId)).size).toBe(1);
  });

  it('ends a rejected message, and keeps the device', async () => {
    await world.startWorker();
    const token = await world.addPhone();
    world.fcm.answerWith(() =>
      refusal({ status: 400, reason: 'INVALID_ARGUMENT', invalidFields: 'other' }),
    );
    await world.sendTest();
    const [delivery] = await world.ended('rejected');
    expect(delivery).toMatchObject({ attempts: 1, reason: 'INVALID_ARGUMENT' });
    expect(await system.tokensOf(world.account)).toEqual([token]);
  });

  it('loses no delivery and no attempt while a platform is not configured', async () => {
    const worker = await system.startWorker({ apns: world.apns, fcm: new UnconfiguredTransport() });
    await world.addPhone();
    await world.sendTest();
    const breakers = worker.get(CircuitBreakers, { strict: false });
    await eventually(() =>
      expect(breakers.statuses()).toMatchObject([{ reason: 'no credentials are configured' }]),
    );
    await system.stopWorkers();
    const [held] = await world.ended('pending');
    expect(held).toMatchObject({ attempts: 0, reason: 'no credentials are configured' });
    await world.startWorker();
    const [delivery] = await world.ended('delivered');
    expect(delivery).toMatchObject({ attempts: 1, reason: null });
  });

  it('does not send expired notifications', async () => {
    await world.addPhone();
    await world.sendTest();
    await system.database.prisma.pushNotification.updateMany({
      where: { userId: world.account.userId },
      data: { expiresAt: new Date(0) },
    });
    await world.startWorker();
    await world.ended('expired');
    expect(world.fcm.sent).toEqual([]);
  });

  it('sends nothing to a deactivated account', async () => {
    await world.addPhone();
    await world.sendTest();
    await system.database.prisma.user.update({
      where: { id: world.account.userId },
      data: { isActive: false },
    });
    await world.startWorker();
    await world.ended('revoked');
    expect(world.fcm.sent).toEqual([]);
  });

  it('completes the pushes in flight at its shutdown, and leaves the rest to another worker', async () => {
    const tokens = await system.addPhones(world.account, 20);
    const worker = await world.startWorker();
    const answer = holdAnswers(world.fcm);
    await world.sendTest();
    await eventually(() => expect(world.fcm.sent).toHaveLength(8));
    const lanes = worker.get(PlatformPools, { strict: false });
    const stopped = worker.close();
    await eventually(() => expect(lanes.isClosing).toBe(true));
    answer();
    await stopped;
    const states = (await world.deliveries()).map(({ state }) => state);
    expect(states.filter((state) => state === 'delivered')).toHaveLength(8);
    expect(states.filter((state) => state === 'pending')).toHaveLength(12);
    await world.startWorker();
    await world.ended(...tokens.map(() => 'delivered'));
    expect(world.fcm.sent).toHaveLength(20);
  });
});

describe('A token that the provider reports dead', () => {
  it('is reported to the caller, and removed from every account', async () => {
    await world.startWorker();
    const token = await world.addPhone();
    const neighbour = await system.addAccount();
    await system.devices.register(neighbour, { platform: 'fcm', token });
    world.fcm.answerWith(() => refusal({ status: 404, reason: 'UNREGISTERED' }));
    await expect(world.sendTest({ token })).rejects.toThrow(
      'Device not recognized by the push bouncer',
    );
    expect(await system.tokensOf(world.account)).toEqual([]);
    expect(await system.tokensOf(neighbour)).toEqual([]);
    await expect(world.sendTest({ token })).rejects.toThrow('Device not recognized');
  });

  it('stays if it was registered again during the push', async () => {
    await world.startWorker();
    const token = await world.addPhone();
    world.fcm.answerWith(async () => {
      await system.devices.register(world.account, { platform: 'fcm', token });
      return refusal({ status: 404, reason: 'UNREGISTERED' });
    });
    await expect(world.sendTest({ token })).rejects.toThrow('push bouncer');
    expect(await system.tokensOf(world.account)).toEqual([token]);
  });

  it('stays if it was registered after the time since when it is dead', async () => {
    await world.startWorker();
    const token = await world.addIphone();
    world.apns.answerWith(() =>
      refusal({ status: 410, reason: 'Unregistered', deadSince: Date.now() - 60_000 }),
    );
    await expect(world.sendTest({ token })).rejects.toThrow('push bouncer');
    expect(await system.tokensOf(world.account)).toEqual([token]);
  });

  it('is removed for the wrong app only', async () => {
    await world.startWorker();
    const token = await world.addIphone();
    const other = await system.addAccount();
    await system.devices.register(other, { platform: 'apns', token, appId: 'org.other' });
    world.apns.answerWith(() => refusal({ status: 400, reason: 'DeviceTokenNotForTopic' }));
    await expect(world.sendTest({ token })).rejects.toThrow('push bouncer');
    expect(await system.tokensOf(world.account)).toEqual([]);
    expect(await system.tokensOf(other)).toEqual([token]);
  });
});

describe('A topic that every token is refused for', () => {
  it('costs two devices, and ends all deliveries', async () => {
    await world.startWorker();
    world.apns.answerWith(() => refusal({ status: 400, reason: 'DeviceTokenNotForTopic' }));
    const accounts = await Promise.all(Array.from({ length: 12 }, () => system.addAccount()));
    const appId = 'org.example.refused';
    for (const account of accounts) {
      await system.devices.register(account, { platform: 'apns', token: iphoneToken(), appId });
      await system.sendTest.send(account);
    }
    await eventually(async () => {
      const deliveries = await Promise.all(accounts.map((account) => system.deliveriesOf(account)));
      expect(deliveries.flat().map(({ state }) => state)).toEqual(accounts.map(() => 'dead_token'));
    });
    const tokens = await Promise.all(accounts.map((account) => system.tokensOf(account)));
    expect(tokens.flat()).toHaveLength(10);
  });
});

describe('Queues that have lost all jobs', () => {
  it('lose no accepted notification', async () => {
    await world.addPhone();
    await world.sendTest();
    await system.forgetQueues();
    await world.startWorker();
    expect(world.fcm.sent).toEqual([]);
    await system.stopWorkers();
    await world.startWorker(100);
    await world.ended('delivered');
    expect(world.fcm.sent).toHaveLength(1);
  });

  it('get the same jobs again, however often the sweeper runs', async () => {
    const tokens = await system.addPhones(world.account, 150);
    await world.sendTest();
    await system.forgetQueues();
    // What has ended must not change how the rest is cut into jobs.
    await system.database.query(
      'end_some',
      `UPDATE push_pages SET states = overlay(states PLACING repeat('d', 30) FROM 1)
       WHERE user_ids @> ARRAY[$1::int]`,
      [world.account.userId],
    );
    const sweeper = await system.startWorker({}, { sweepMs: 1 });
    await system.sweep(sweeper);
    await system.sweep(sweeper);
    expect(await sweeper.get(Metrics, { strict: false }).read()).toMatch(
      /^carillon_push_requeued_total\{platform="fcm"\} [1-9]\d*$/m,
    );
    await world.startWorker();
    await world.ended(...tokens.map(() => 'delivered'));
    expect(world.fcm.sent).toHaveLength(90);
  });
});
