import { createHash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RecordingTransport } from '#push-transport';
import { Metrics } from '#telemetry';
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

const ended = (...states: readonly string[]) =>
  eventually(async () => {
    const deliveries = await system.deliveriesOf(account);
    expect(deliveries.map(({ state }) => state)).toEqual(states);
    return deliveries;
  });

const refusedWith = (reason: string, status = 400) =>
  ({
    kind: 'refused',
    status,
    reason,
    deadSince: null,
    namesFields: true,
    retryAfterMs: null,
  }) as const;

const noJobs = { waiting: 0, delayed: 0, active: 0 };

const once = (key: string, request = 'test') => ({
  once: { key, digest: createHash('sha256').update(request).digest() },
});

describe('A request with a key of its own', () => {
  it('notifies each device once, however often it is repeated at the same time', async () => {
    await startWorker();
    await addPhone();
    const key = randomUUID();
    const repeats = Array.from({ length: 10 }, () => system.sendTest.execute(account, once(key)));
    await Promise.all(repeats);
    await ended('delivered');
    await system.sendTest.execute(account, once(key));
    await system.sendTest.execute(account);
    await ended('delivered', 'delivered');
    expect(fcm.sent).toHaveLength(2);
  });

  it('gets the same answer again about the one device that it names', async () => {
    await startWorker();
    const token = await addPhone();
    fcm.answerWith(() => refusedWith('UNREGISTERED', 404));
    const wishes = { token, ...once(randomUUID()) };
    const repeats = Array.from({ length: 10 }, () => system.sendTest.execute(account, wishes));
    for (const result of await Promise.allSettled(repeats)) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { message: 'Device not recognized by the push bouncer' },
      });
    }
    expect(fcm.sent).toHaveLength(1);
  });

  it('is refused when the key was that of another request', async () => {
    await addPhone();
    const key = randomUUID();
    await system.sendTest.execute(account, once(key));
    await expect(system.sendTest.execute(account, once(key, 'another'))).rejects.toThrow(
      'Idempotency-Key',
    );
    const other = await system.addAccount();
    await expect(system.sendTest.execute(other, once(key, 'another'))).resolves.toBe(0);
  });

  it('is remembered only when it notified somebody', async () => {
    const key = randomUUID();
    await system.sendTest.execute(account, once(key));
    await addPhone();
    await startWorker();
    await system.sendTest.execute(account, once(key));
    const [delivery] = await ended('delivered');
    expect(delivery).toMatchObject({ attempts: 1 });
  });
});

describe('What is being sent', () => {
  it('is sent by no other worker that is given the same job', async () => {
    await addPhone();
    let release: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    fcm.answerWith(async () => {
      await isReleased;
      return { kind: 'accepted' };
    });
    await startWorker();
    await system.sendTest.execute(account);
    await eventually(() => expect(fcm.sent).toHaveLength(1));
    const second = new RecordingTransport();
    await system.startWorker({ apns, fcm: second });
    await system.enqueueAgain(account);
    await eventually(async () => expect(await system.jobs()).toMatchObject({ delayed: 1 }));
    release();
    await ended('delivered');
    await eventually(async () => expect(await system.jobs()).toEqual(noJobs));
    expect([fcm.sent.length, second.sent.length]).toEqual([1, 0]);
  }, 20_000);

  it('is sent once when several jobs for it come in the same moment', async () => {
    await addPhone();
    await system.sendTest.execute(account);
    for (let copies = 0; copies < 6; copies += 1) await system.enqueueAgain(account);
    await startWorker();
    await ended('delivered');
    await eventually(async () => expect(await system.jobs()).toEqual(noJobs));
    expect(fcm.sent).toHaveLength(1);
  }, 20_000);

  it('is sent again when the lease of a worker that is gone has run out', async () => {
    await addPhone();
    await system.sendTest.execute(account);
    await system.database.query(
      'lease',
      `UPDATE push_deliveries SET due_at = now() + interval '1.5 seconds'
       FROM push_notifications n WHERE n.id = notification_id AND n.user_id = $1`,
      [account.userId],
    );
    await startWorker();
    await eventually(async () => expect(await system.jobs()).toMatchObject({ delayed: 1 }));
    expect(fcm.sent).toEqual([]);
    await ended('delivered');
    expect(fcm.sent).toHaveLength(1);
  });
});

describe('The ledger', () => {
  it('keeps what a provider refuses for good, without what it said, and the device', async () => {
    await startWorker();
    const token = await addPhone();
    fcm.answerWith(() => refusedWith('INVALID_ARGUMENT'));
    await system.sendTest.execute(account);
    await ended('rejected');
    const [letter, ...others] = await system.deadLettersOf(account);
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ platform: 'fcm', kind: 'test', reason: 'INVALID_ARGUMENT' });
    expect(letter?.fingerprint).toBe(createHash('sha256').update(token).digest('hex').slice(0, 12));
    expect(JSON.stringify(letter)).not.toContain('Push');
    expect(letter?.payload).toMatchObject({ event: '<4 characters>' });
    expect(await system.tokensOf(account)).toEqual([token]);
  });

  it('tells each attempt that failed, and why', async () => {
    await startWorker();
    await addPhone();
    fcm.answerWith(() =>
      fcm.sent.length < 2 ? { kind: 'unanswered', reason: 'deadline' } : { kind: 'accepted' },
    );
    await system.sendTest.execute(account);
    const [delivery] = await ended('delivered');
    expect(delivery).toMatchObject({ attempts: 2, history: [{ reason: 'deadline' }] });
  });

  it('learns which of Apple’s environments a token belongs to', async () => {
    await startWorker();
    await system.registerDevice.execute(account, {
      platform: 'apns',
      token: iphoneToken(),
      appId: DEMO_APP_ID,
    });
    apns.answerWith(() => ({ kind: 'accepted', environment: 'sandbox' }));
    await system.sendTest.execute(account);
    await ended('delivered');
    await system.sendTest.execute(account);
    await ended('delivered', 'delivered');
    expect(apns.sent.map(({ environment }) => environment)).toEqual([null, 'sandbox']);
  });

  it('counts what becomes of it', async () => {
    const worker = await startWorker();
    await addPhone();
    await system.sendTest.execute(account);
    await ended('delivered');
    const metrics = await worker.get(Metrics, { strict: false }).read();
    expect(metrics).toMatch(/^carillon_push_ended_total\{.*state="delivered".*\} 1$/m);
  });
});

describe('The sweeper', () => {
  it('leaves alone what waits behind others in its queue', async () => {
    await addPhone();
    await system.sendTest.execute(account);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const sweeper = await system.startWorker({}, 1);
    await system.sweep(sweeper);
    expect(await system.jobs()).toMatchObject({ waiting: 1 });
    await startWorker();
    await ended('delivered');
    expect(fcm.sent).toHaveLength(1);
  });
});
