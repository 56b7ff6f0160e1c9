import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Gates, Lanes } from '#push';
import { RecordingTransport, UnconfiguredTransport } from '#push-transport';
import { eventually } from '../support/eventually.js';
import { androidToken, DEMO_APP_ID, iphoneToken } from '../support/push-tokens.js';
import { type Account, PushSystem } from './push-system.js';

let system: PushSystem;
let apns: RecordingTransport;
let fcm: RecordingTransport;
let account: Account;

beforeAll(async () => {
  system = await PushSystem.start();
}, 20_000);

beforeEach(async () => {
  apns = new RecordingTransport();
  fcm = new RecordingTransport();
  account = await system.addAccount();
});

afterEach(() => system.stopWorkers());

afterAll(() => system?.stop());

const startWorker = () => system.startWorker({ apns, fcm });

async function addPhone(): Promise<string> {
  const token = androidToken();
  await system.registerDevice.execute(account, { platform: 'fcm', token });
  return token;
}

const ended = (states: readonly string[]) =>
  eventually(async () => {
    const deliveries = await system.deliveriesOf(account);
    expect(deliveries.map(({ state }) => state)).toEqual(states);
    return deliveries;
  });

const refused = (status: number, reason: string, deadSince: number | null = null) =>
  ({
    kind: 'refused',
    status,
    reason,
    deadSince,
    namesFields: false,
    retryAfterMs: null,
  }) as const;

describe('The delivery of notifications', () => {
  it('sends to every device of the account, and writes down that it did', async () => {
    await startWorker();
    const android = await addPhone();
    const iphone = iphoneToken();
    const device = { platform: 'apns', token: iphone, appId: DEMO_APP_ID } as const;
    await system.registerDevice.execute(account, device);
    await system.sendTest.execute(account);
    const deliveries = await ended(['delivered', 'delivered']);
    expect(deliveries).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
    expect(fcm.sent).toMatchObject([{ token: android, appId: null, content: { kind: 'test' } }]);
    expect(apns.sent).toMatchObject([
      {
        token: iphone,
        appId: DEMO_APP_ID,
        recipient: { realmName: 'Push', realmUrl: 'https://chat.example.org' },
      },
    ]);
  });

  it('sends to hundreds of devices, each once, and never to more at a time than it may', async () => {
    await startWorker();
    const tokens = Array.from({ length: 230 }, androidToken);
    await system.addAndroidDevices(account, tokens);
    let underWay = 0;
    let most = 0;
    fcm.answerWith(async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return { kind: 'accepted' };
    });
    await system.sendTest.execute(account);
    await ended(tokens.map(() => 'delivered'));
    expect(fcm.sent.map(({ token }) => token).toSorted()).toEqual(tokens.toSorted());
    // So many may wait that they get six tenths of the room and leave the rest to others.
    expect(most).toBe(5);
  });

  it('tries again what may be tried again, as the same push', async () => {
    await startWorker();
    await addPhone();
    let tries = 0;
    fcm.answerWith(() => {
      tries += 1;
      return tries === 1 ? { kind: 'unanswered', reason: 'deadline' } : { kind: 'accepted' };
    });
    await system.sendTest.execute(account);
    const [delivery] = await ended(['delivered']);
    expect(delivery).toMatchObject({ attempts: 2 });
    expect(fcm.sent).toHaveLength(2);
    expect(new Set(fcm.sent.map(({ deliveryId }) => deliveryId)).size).toBe(1);
  });

  it('ends what is wrong with the message, and keeps the device', async () => {
    await startWorker();
    const token = await addPhone();
    fcm.answerWith(() => ({ ...refused(400, 'INVALID_ARGUMENT'), namesFields: true }));
    await system.sendTest.execute(account);
    const [delivery] = await ended(['rejected']);
    expect(delivery).toMatchObject({ attempts: 1, reason: 'INVALID_ARGUMENT' });
    expect(await system.tokensOf(account)).toEqual([token]);
  });

  it('loses nothing while a platform is not configured, and spends no attempt on it', async () => {
    const worker = await system.startWorker({ apns, fcm: new UnconfiguredTransport() });
    await addPhone();
    await system.sendTest.execute(account);
    const gates = worker.get(Gates, { strict: false });
    await eventually(() =>
      expect(gates.statuses()).toMatchObject([{ reason: 'no credentials are configured' }]),
    );
    await system.stopWorkers();
    const [held] = await ended(['pending']);
    expect(held).toMatchObject({ attempts: 0, reason: 'no credentials are configured' });
    await startWorker();
    const [delivery] = await ended(['delivered']);
    expect(delivery).toMatchObject({ attempts: 1, reason: null });
  }, 20_000);

  it('sends nothing that has expired', async () => {
    await addPhone();
    await system.sendTest.execute(account);
    await system.database.prisma.pushNotification.updateMany({
      where: { userId: account.userId },
      data: { expiresAt: new Date(0) },
    });
    await startWorker();
    await ended(['expired']);
    expect(fcm.sent).toEqual([]);
  });

  it('sends nothing to a deactivated account', async () => {
    await addPhone();
    await system.sendTest.execute(account);
    await system.database.prisma.user.update({
      where: { id: account.userId },
      data: { isActive: false },
    });
    await startWorker();
    await ended(['revoked']);
    expect(fcm.sent).toEqual([]);
  });

  it('finishes what is under way when it is stopped, and leaves the rest to the next', async () => {
    const tokens = Array.from({ length: 20 }, androidToken);
    await system.addAndroidDevices(account, tokens);
    const worker = await startWorker();
    let answer: () => void = () => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    fcm.answerWith(async () => {
      await isAnswered;
      return { kind: 'accepted' };
    });
    await system.sendTest.execute(account);
    await eventually(() => expect(fcm.sent).toHaveLength(8));
    const lanes = worker.get(Lanes, { strict: false });
    const stopped = worker.close();
    await eventually(() => expect(lanes.isClosing).toBe(true));
    answer();
    await stopped;
    const states = (await system.deliveriesOf(account)).map(({ state }) => state);
    expect(states.filter((state) => state === 'delivered')).toHaveLength(8);
    expect(states.filter((state) => state === 'pending')).toHaveLength(12);
    await startWorker();
    await ended(tokens.map(() => 'delivered'));
    expect(fcm.sent).toHaveLength(20);
  }, 20_000);
});

describe('A token that the provider calls dead', () => {
  it('is told to who asks, and removed from every account', async () => {
    await startWorker();
    const token = await addPhone();
    const neighbour = await system.addAccount();
    await system.registerDevice.execute(neighbour, { platform: 'fcm', token });
    fcm.answerWith(() => refused(404, 'UNREGISTERED'));
    await expect(system.sendTest.execute(account, { token })).rejects.toThrow(
      'Device not recognized by the push bouncer',
    );
    expect(await system.tokensOf(account)).toEqual([]);
    expect(await system.tokensOf(neighbour)).toEqual([]);
    await expect(system.sendTest.execute(account, { token })).rejects.toThrow(
      'Device not recognized',
    );
  });

  it('stays when it was registered again while it was sent to', async () => {
    await startWorker();
    const token = await addPhone();
    fcm.answerWith(async () => {
      await system.registerDevice.execute(account, { platform: 'fcm', token });
      return refused(404, 'UNREGISTERED');
    });
    await expect(system.sendTest.execute(account, { token })).rejects.toThrow('push bouncer');
    expect(await system.tokensOf(account)).toEqual([token]);
  });

  it('stays when it was registered after the time from which it is dead', async () => {
    await startWorker();
    const token = iphoneToken();
    await system.registerDevice.execute(account, { platform: 'apns', token, appId: DEMO_APP_ID });
    apns.answerWith(() => refused(410, 'Unregistered', Date.now() - 60_000));
    await expect(system.sendTest.execute(account, { token })).rejects.toThrow('push bouncer');
    expect(await system.tokensOf(account)).toEqual([token]);
  });

  it('is removed for the app that it is not for, and for no other', async () => {
    await startWorker();
    const token = iphoneToken();
    const other = await system.addAccount();
    await system.registerDevice.execute(account, { platform: 'apns', token, appId: DEMO_APP_ID });
    await system.registerDevice.execute(other, { platform: 'apns', token, appId: 'org.other' });
    apns.answerWith(() => refused(400, 'DeviceTokenNotForTopic'));
    await expect(system.sendTest.execute(account, { token })).rejects.toThrow('push bouncer');
    expect(await system.tokensOf(account)).toEqual([]);
    expect(await system.tokensOf(other)).toEqual([token]);
  });
});

describe('Queues that have lost everything', () => {
  it('lose no accepted notification', async () => {
    await addPhone();
    await system.sendTest.execute(account);
    await system.forgetQueues();
    await startWorker();
    expect(fcm.sent).toEqual([]);
    await system.stopWorkers();
    await system.startWorker({ apns, fcm }, 100);
    await ended(['delivered']);
    expect(fcm.sent).toHaveLength(1);
  });

  it('are filled again with the same jobs, however often they are looked at', async () => {
    const tokens = Array.from({ length: 150 }, androidToken);
    await system.addAndroidDevices(account, tokens);
    await system.sendTest.execute(account);
    await system.forgetQueues();
    // What has ended must not change how the rest is cut into jobs.
    await system.database.query(
      'end_some',
      `UPDATE push_deliveries SET state = 'delivered' WHERE device_id IN (
         SELECT id FROM push_devices WHERE user_id = $1 ORDER BY id LIMIT 60)`,
      [account.userId],
    );
    const sweeper = await system.startWorker({}, 1);
    await system.sweep(sweeper);
    await system.sweep(sweeper);
    await startWorker();
    await ended(tokens.map(() => 'delivered'));
    expect(fcm.sent).toHaveLength(90);
  }, 20_000);
});
