import { createHash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RecordingTransport, refusal } from '#push-transport';
import { Metrics } from '#telemetry';
import { eventually } from '../support/eventually.js';
import { PushSystem } from './push-system.js';
import { holdAnswers, PushWorld } from './push.world.js';

let system: PushSystem;
let world: PushWorld;

beforeAll(async () => {
  system = await PushSystem.start();
}, 20_000);

beforeEach(async () => {
  world = await PushWorld.in(system);
});

afterEach(() => system.stopWorkers());

afterAll(() => system?.stop());

const once = (key: string, request = 'test') => ({
  once: { key, digest: createHash('sha256').update(request).digest() },
});

describe('A request with a key of its own', () => {
  it('notifies each device once, however often it is repeated at the same time', async () => {
    await world.startWorker();
    await world.addPhone();
    const key = randomUUID();
    const repeats = Array.from({ length: 10 }, () => world.sendTest(once(key)));
    await Promise.all(repeats);
    await world.ended('delivered');
    await world.sendTest(once(key));
    await world.sendTest();
    await world.ended('delivered', 'delivered');
    expect(world.fcm.sent).toHaveLength(2);
  });

  it('gets the same answer again about the one device that it names', async () => {
    await world.startWorker();
    const token = await world.addPhone();
    world.fcm.answerWith(() => refusal({ status: 404, reason: 'UNREGISTERED' }));
    const wishes = { token, ...once(randomUUID()) };
    const repeats = Array.from({ length: 10 }, () => world.sendTest(wishes));
    for (const result of await Promise.allSettled(repeats)) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { message: 'Device not recognized by the push bouncer' },
      });
    }
    expect(world.fcm.sent).toHaveLength(1);
  });

  it('is refused when the key was that of another request', async () => {
    await world.addPhone();
    const key = randomUUID();
    await world.sendTest(once(key));
    await expect(world.sendTest(once(key, 'another'))).rejects.toThrow('Idempotency-Key');
    const other = await system.addAccount();
    await expect(system.sendTest.execute(other, once(key, 'another'))).resolves.toBeUndefined();
  });

  it('is remembered only when it notified somebody', async () => {
    const key = randomUUID();
    await world.sendTest(once(key));
    await world.addPhone();
    await world.startWorker();
    await world.sendTest(once(key));
    const [delivery] = await world.ended('delivered');
    expect(delivery).toMatchObject({ attempts: 1 });
  });
});

describe('What is being sent', () => {
  it('is sent by no other worker that is given the same job', async () => {
    await world.addPhone();
    const release = holdAnswers(world.fcm);
    await world.startWorker();
    await world.sendTest();
    await eventually(() => expect(world.fcm.sent).toHaveLength(1));
    const second = new RecordingTransport();
    await system.startWorker({ apns: world.apns, fcm: second });
    await system.enqueueAgain(world.account);
    await eventually(async () => expect(await system.jobs()).toMatchObject({ delayed: 1 }));
    release();
    await world.ended('delivered');
    await eventually(async () => expect(await system.jobs()).toEqual(noJobs));
    expect([world.fcm.sent.length, second.sent.length]).toEqual([1, 0]);
  }, 20_000);

  it('is sent once when several jobs for it come in the same moment', async () => {
    await world.addPhone();
    await world.sendTest();
    for (let copies = 0; copies < 6; copies += 1) await system.enqueueAgain(world.account);
    await world.startWorker();
    await world.ended('delivered');
    await eventually(async () => expect(await system.jobs()).toEqual(noJobs));
    expect(world.fcm.sent).toHaveLength(1);
  }, 20_000);

  it('is sent again when the lease of a worker that is gone has run out', async () => {
    await world.addPhone();
    await world.sendTest();
    await system.database.query(
      'lease',
      `UPDATE push_deliveries SET due_at = now() + interval '1.5 seconds'
       FROM push_notifications n WHERE n.id = notification_id AND n.user_id = $1`,
      [world.account.userId],
    );
    await world.startWorker();
    await eventually(async () => expect(await system.jobs()).toMatchObject({ delayed: 1 }));
    expect(world.fcm.sent).toEqual([]);
    await world.ended('delivered');
    expect(world.fcm.sent).toHaveLength(1);
  });
});

describe('Notifications for the same device', () => {
  it('arrive in the order of their acceptance, whatever the order of their jobs', async () => {
    await world.addPhone();
    const times: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      await world.sendTest();
      times.push(count);
    }
    const ids = await system.notificationsOf(world.account);
    await system.forgetQueues();
    await system.enqueueOneByOne(ids.toReversed(), world.account);
    await world.startWorker();
    await world.startWorker();
    await world.ended(...times.map(() => 'delivered'));
    expect(world.fcm.sent.map(({ notificationId }) => notificationId)).toEqual(ids);
  }, 20_000);

  it('wait for one that is to be tried again, and not for other devices', async () => {
    const token = await world.addPhone();
    await world.addPhone();
    await world.startWorker();
    let refusals = 0;
    world.fcm.answerWith((push) => {
      if (push.token !== token || refusals > 0) return { kind: 'accepted' };
      refusals += 1;
      return { kind: 'unanswered', reason: 'connection' };
    });
    await world.sendTest();
    await eventually(() => expect(refusals).toBe(1));
    await world.sendTest();
    await world.ended('delivered', 'delivered', 'delivered', 'delivered');
    const [first, second] = await system.notificationsOf(world.account);
    const arrived = (one: boolean) =>
      world.fcm.sent
        .filter((push) => (push.token === token) === one)
        .map(({ notificationId }) => notificationId);
    expect(arrived(true)).toEqual([first, first, second]);
    expect(arrived(false)).toEqual([first, second]);
  }, 20_000);
});

describe('The ledger', () => {
  it('keeps what a provider refuses for good, without what it said, and the device', async () => {
    await world.startWorker();
    const token = await world.addPhone();
    world.fcm.answerWith(() =>
      refusal({ status: 400, reason: 'INVALID_ARGUMENT', namesFields: true }),
    );
    await world.sendTest();
    await world.ended('rejected');
    const [letter, ...others] = await system.deadLettersOf(world.account);
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ platform: 'fcm', kind: 'test', reason: 'INVALID_ARGUMENT' });
    expect(letter?.fingerprint).toBe(createHash('sha256').update(token).digest('hex').slice(0, 12));
    expect(JSON.stringify(letter)).not.toContain('Push');
    expect(letter?.payload).toMatchObject({ event: '<4 characters>' });
    expect(await system.tokensOf(world.account)).toEqual([token]);
  });

  it('tells each attempt that failed, and why', async () => {
    await world.startWorker();
    await world.addPhone();
    world.fcm.answerWith(() =>
      world.fcm.sent.length < 2 ? { kind: 'unanswered', reason: 'deadline' } : { kind: 'accepted' },
    );
    await world.sendTest();
    const [delivery] = await world.ended('delivered');
    expect(delivery).toMatchObject({ attempts: 2, history: [{ reason: 'deadline' }] });
  });

  it('learns which of Apple’s environments a token belongs to', async () => {
    await world.startWorker();
    await world.addIphone();
    world.apns.answerWith(() => ({ kind: 'accepted', environment: 'sandbox' }));
    await world.sendTest();
    await world.ended('delivered');
    await world.sendTest();
    await world.ended('delivered', 'delivered');
    expect(world.apns.sent.map(({ environment }) => environment)).toEqual([null, 'sandbox']);
  });

  it('counts what becomes of it', async () => {
    const worker = await world.startWorker();
    await world.addPhone();
    await world.sendTest();
    await world.ended('delivered');
    const metrics = await worker.get(Metrics, { strict: false }).read();
    expect(metrics).toMatch(/^carillon_push_ended_total\{.*state="delivered".*\} 1$/m);
  });
});

const noJobs = { waiting: 0, delayed: 0, active: 0 };

describe('The sweeper', () => {
  it('leaves alone what waits behind others in its queue', async () => {
    // The first pass takes new queues for such as have lost everything.
    await system.sweep(await system.startWorker({}));
    await world.addPhone();
    await world.sendTest();
    // Far longer than the next sweeper's own patience.
    await eventually(async () => expect(await system.oldestWaitingMs()).toBeGreaterThan(1000));
    const [waiting] = await world.deliveries();
    await system.sweep(await system.startWorker({}, 1));
    expect(await system.jobs()).toMatchObject({ waiting: 1 });
    // What is woken is due anew.
    expect(await world.deliveries()).toMatchObject([{ dueAt: waiting?.dueAt }]);
    await world.startWorker();
    await world.ended('delivered');
    expect(world.fcm.sent).toHaveLength(1);
  });
});
