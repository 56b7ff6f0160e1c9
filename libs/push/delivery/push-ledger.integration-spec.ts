import { createHash, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import { notified } from '#test/push-ledger';
import { RecordingTransport } from '#test/recording-transport';
import { holdAnswers } from '#test/push-world';
import { eventually } from '#test/eventually';
import { androidToken, DEMO_APP_ID, iphoneToken } from '#test/push-tokens';
import { type Account, usePushSystem } from '#test/push-system';

/** Longer than a test takes on any machine. */
const LONG_LEASE_MS = 3_600_000;

const system = usePushSystem();
let apns: RecordingTransport;
let fcm: RecordingTransport;
let account: Account;

beforeEach(async () => {
  apns = new RecordingTransport();
  fcm = new RecordingTransport();
  account = await system.addAccount();
});

afterEach(() => system.stopWorkers());

const startWorker = () => system.startWorker({ apns, fcm });

async function addPhone(): Promise<string> {
  const token = androidToken();
  await system.devices.register(account, { platform: 'fcm', token });
  return token;
}

const ended = (...states: readonly string[]) =>
  eventually(async () => {
    const deliveries = await system.deliveriesOf(account);
    expect(deliveries.map(({ state }) => state)).toEqual(states);
    return deliveries;
  });

/** Moves the due time of the account's deliveries, as a lease does: to so long from now. */
const moveDueTime = (interval: string) =>
  system.database.query(
    'move_due_time',
    `UPDATE push_deliveries SET due_at = now() + $2::interval
     FROM push_notifications n WHERE n.id = notification_id AND n.user_id = $1`,
    [account.userId, interval],
  );

const refusedWith = (reason: string, status = 400) =>
  ({
    kind: 'refused',
    status,
    reason,
    deadSince: null,
    invalidFields: 'other',
    retryAfterMs: null,
  }) as const;

const noJobs = { waiting: 0, delayed: 0, active: 0 };

const requestKey = (key: string, request = 'test') => ({
  requestKey: { key, digest: createHash('sha256').update(request).digest() },
});

describe('A request with an idempotency key', () => {
  it('notifies each device once, however often it is repeated concurrently', async () => {
    await startWorker();
    await addPhone();
    const key = randomUUID();
    const repeats = Array.from({ length: 10 }, () =>
      system.sendTest.send(account, requestKey(key)),
    );
    await Promise.all(repeats);
    await ended('delivered');
    await system.sendTest.send(account, requestKey(key));
    await system.sendTest.send(account);
    await ended('delivered', 'delivered');
    expect(fcm.sent).toHaveLength(2);
  });

  it('gets the same answer about its device again', async () => {
    await startWorker();
    const token = await addPhone();
    fcm.answerWith(() => refusedWith('UNREGISTERED', 404));
    const wishes = { token, ...requestKey(randomUUID()) };
    const repeats = Array.from({ length: 10 }, () => system.sendTest.send(account, wishes));
    for (const result of await Promise.allSettled(repeats)) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { message: 'Device not recognized by the push bouncer' },
      });
    }
    expect(fcm.sent).toHaveLength(1);
  });

  it('is rejected with the key of another request', async () => {
    await addPhone();
    const key = randomUUID();
    await system.sendTest.send(account, requestKey(key));
    await expect(system.sendTest.send(account, requestKey(key, 'another'))).rejects.toThrow(
      'Idempotency-Key',
    );
    const other = await system.addAccount();
    await expect(system.sendTest.send(other, requestKey(key, 'another'))).resolves.toBe(0);
  });

  it('is remembered only if it notified a device', async () => {
    const key = randomUUID();
    await system.sendTest.send(account, requestKey(key));
    await addPhone();
    await startWorker();
    await system.sendTest.send(account, requestKey(key));
    const [delivery] = await ended('delivered');
    expect(delivery).toMatchObject({ attempts: 1 });
  });
});

describe('A delivery that is being sent', () => {
  // First: the others leave jobs that are delayed by an hour.
  it('is sent once for several concurrent jobs', async () => {
    await addPhone();
    await system.sendTest.send(account);
    for (let copies = 0; copies < 6; copies += 1) await system.enqueueAgain(account);
    await startWorker();
    await ended('delivered');
    await eventually(async () => expect(await system.jobs()).toEqual(noJobs));
    expect(fcm.sent).toHaveLength(1);
  });

  it('is not sent by another worker with the same job', async () => {
    await addPhone();
    const release = holdAnswers(fcm);
    await system.startWorker({ apns, fcm }, { leaseMs: LONG_LEASE_MS });
    await system.sendTest.send(account);
    await eventually(() => expect(fcm.sent).toHaveLength(1));
    const second = new RecordingTransport();
    await system.startWorker({ apns, fcm: second });
    await system.enqueueAgain(account);
    await eventually(async () => expect(await system.jobs()).toMatchObject({ delayed: 1 }));
    release();
    await ended('delivered');
    expect([fcm.sent.length, second.sent.length]).toEqual([1, 0]);
  });

  it('is sent again after the lease of a dead worker', async () => {
    await addPhone();
    await system.sendTest.send(account);
    await moveDueTime('1 hour');
    await startWorker();
    const taken = { waiting: 0, active: 0 };
    await eventually(async () => expect(await system.jobs()).toMatchObject(taken));
    expect(fcm.sent).toEqual([]);
    await moveDueTime('0 seconds');
    await system.enqueueAgain(account);
    await ended('delivered');
    expect(fcm.sent).toHaveLength(1);
  });
});

describe('The ledger', () => {
  it('keeps a rejected payload without its texts, and the device', async () => {
    await startWorker();
    const token = await addPhone();
    fcm.answerWith(() => refusedWith('INVALID_ARGUMENT'));
    await system.sendTest.send(account);
    await ended('rejected');
    const [letter, ...others] = await system.deadLettersOf(account);
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ platform: 'fcm', kind: 'test', reason: 'INVALID_ARGUMENT' });
    expect(letter?.fingerprint).toBe(createHash('sha256').update(token).digest('hex').slice(0, 12));
    expect(JSON.stringify(letter)).not.toContain('Push');
    expect(letter?.payload).toMatchObject({ event: '<4 characters>' });
    expect(await system.tokensOf(account)).toEqual([token]);
  });

  it('keeps each failed attempt and its reason', async () => {
    await startWorker();
    await addPhone();
    fcm.answerWith(() =>
      fcm.sent.length < 2 ? { kind: 'unanswered', reason: 'deadline' } : { kind: 'accepted' },
    );
    await system.sendTest.send(account);
    const [delivery] = await ended('delivered');
    expect(delivery).toMatchObject({ attempts: 2, history: [{ reason: 'deadline' }] });
  });

  it('keeps the last twenty failed attempts', async () => {
    await addPhone();
    await system.sendTest.send(account);
    const history = Array.from({ length: 20 }, (_, at) => ({ at, reason: 'before', next: null }));
    await system.database.prisma.pushDelivery.updateMany({
      where: await notified(system.database.prisma, account.userId),
      data: { history },
    });
    fcm.answerWith(() =>
      fcm.sent.length < 2 ? { kind: 'unanswered', reason: 'deadline' } : { kind: 'accepted' },
    );
    await startWorker();
    const [delivery] = await ended('delivered');
    const kept = [...history.slice(1), { reason: 'deadline' }];
    expect(delivery).toMatchObject({ history: kept });
  });

  it('stores Apple’s environment of a token', async () => {
    await startWorker();
    await system.devices.register(account, {
      platform: 'apns',
      token: iphoneToken(),
      appId: DEMO_APP_ID,
    });
    apns.answerWith(() => ({ kind: 'accepted', environment: 'sandbox' }));
    await system.sendTest.send(account);
    await ended('delivered');
    await system.sendTest.send(account);
    await ended('delivered', 'delivered');
    expect(apns.sent.map(({ environment }) => environment)).toEqual([null, 'sandbox']);
  });

  it('keeps the id of a push in Apple’s development environment', async () => {
    await startWorker();
    const iphone = { platform: 'apns', token: iphoneToken(), appId: DEMO_APP_ID } as const;
    await system.devices.register(account, iphone);
    apns.answerWith(() => ({ kind: 'accepted', uniqueId: 'A1' }));
    await system.sendTest.send(account);
    expect(await ended('delivered')).toMatchObject([{ reason: 'apns-unique-id A1' }]);
  });

  it('counts the outcomes', async () => {
    const worker = await startWorker();
    await addPhone();
    await system.sendTest.send(account);
    await ended('delivered');
    const metrics = await worker.get(Metrics, { strict: false }).read();
    expect(metrics).toMatch(/^carillon_push_ended_total\{.*state="delivered".*\} 1$/m);
  });
});

describe('The sweeper', () => {
  it('adds no second job for deliveries that wait in their queue', async () => {
    await addPhone();
    await system.sendTest.send(account);
    await moveDueTime('-1 second');
    const sweeper = await system.startWorker({}, { sweepMs: 1 });
    await system.sweep(sweeper);
    expect(await system.jobs()).toMatchObject({ waiting: 1 });
    await startWorker();
    await ended('delivered');
    expect(fcm.sent).toHaveLength(1);
  });
});
