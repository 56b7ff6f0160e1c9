import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { platformQueue, pushLanes } from '#platform/contracts';
import { JobQueues } from '#platform/queue';
import { RemoteContentSealer, RemoteDeliveryQueue, RemoteDeliveryRepository } from '#push/remotes';
import { eventually } from '#test/eventually';
import { PushSystem } from '#test/push-system';
import { RecordingTransport } from '#test/recording-transport';
import { deliveryId } from '../delivery.rules.js';
import { RemoteSweep } from './remote-sweep.js';

const SWEEP_MS = 1500;

let system: PushSystem;
let worker: INestApplicationContext;
let fcm: RecordingTransport;
let serverId: number;
let deviceId: number;
/** The ids of each claim. */
let claims: (readonly number[])[];

beforeAll(async () => {
  system = await PushSystem.start();
});
beforeEach(async () => {
  const server = await prisma().remoteServer.create({
    data: {
      uuid: randomUUID(),
      keyHash: randomBytes(32),
      hostname: `${randomUUID()}.test`,
      contactEmail: 'a@b.test',
    },
  });
  serverId = server.id;
  deviceId = await addPhone();
  fcm = new RecordingTransport();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await system.stopWorkers();
  await system.forgetQueues();
});
afterAll(() => system?.stop());

const prisma = () => system.database.prisma;
const service = <Service>(type: new (...args: never[]) => Service): Service =>
  worker.get(type, { strict: false });

async function addPhone(): Promise<number> {
  const { id } = await prisma().remoteDevice.create({
    data: {
      serverId,
      platform: 'fcm',
      token: randomUUID(),
      tokenDigest: randomBytes(32),
      userUuid: randomUUID(),
    },
  });
  return id;
}

async function startWorker(sweepMs?: number): Promise<void> {
  worker = await system.startWorker({ fcm }, sweepMs);
  claims = [];
  const repository = service(RemoteDeliveryRepository);
  const claim = repository.claim;
  jest.spyOn(repository, 'claim').mockImplementation((ids) => {
    claims.push(ids);
    return claim(ids);
  });
}

/** Accepts a notification to the phone, without a job. */
async function accept() {
  const content = { isSilent: false, apnsUrgency: null, payload: { event: 'message' } };
  const sealed = service(RemoteContentSealer).seal(content);
  const expiresAt = new Date(Date.now() + 600_000);
  const given = { deviceId, platform: 'fcm', sealed, expiresAt } as const;
  const [accepted] = await service(RemoteDeliveryRepository).accept(serverId, [given]);
  if (accepted === undefined) throw new Error('Not accepted');
  return accepted;
}

type Accepted = Awaited<ReturnType<typeof accept>>;

const enqueue = (delivery: Accepted) =>
  service(RemoteDeliveryQueue).enqueue({ serverId, deliveries: [delivery], isSilent: false });
const rowOf = ({ id }: Accepted) => prisma().remoteDelivery.findUniqueOrThrow({ where: { id } });

/** What a delivery is that waits for a retry. */
const held = { dueAt: new Date(Date.now() + 60_000), reason: 'TooManyRequests' };
const update = (id: number, data: Partial<typeof held & { expiresAt: Date }>) =>
  prisma().remoteDelivery.update({ where: { id }, data });

async function jobs(): Promise<number> {
  const queues = pushLanes.map((lane) => platformQueue('fcm', lane));
  const counts = await Promise.all(queues.map((queue) => service(JobQueues).counts(queue)));
  return counts.reduce((sum, one) => sum + one.waiting + one.delayed + one.active, 0);
}

describe('Notifications of a server behind one that waits', () => {
  it('have one job each, are claimed a few times, and are not overdue', async () => {
    await startWorker(SWEEP_MS);
    const requeue = jest.spyOn(service(RemoteDeliveryQueue), 'requeue');
    const first = await accept();
    await update(first.id, held);
    const later: Accepted[] = [];
    for (let count = 0; count < 10; count += 1) {
      const delivery = await accept();
      await enqueue(delivery);
      later.push(delivery);
      await delay(100);
    }
    await delay(3 * SWEEP_MS);
    await service(RemoteSweep).sweep();
    const rows = await Promise.all(later.map(rowOf));
    expect(rows.map(({ dueAt }) => dueAt)).toEqual(later.map(() => held.dueAt));
    expect(requeue.mock.calls.filter(([, ids]) => ids.length > 0)).toEqual([]);
    expect(claims.length).toBeLessThanOrEqual(2 * later.length);
    expect(await jobs()).toBe(later.length);
    expect(fcm.sent).toEqual([]);
  }, 20_000);

  it('are sent by the worker that sends it, in their order', async () => {
    await startWorker();
    const deliveries: Accepted[] = [];
    for (let count = 0; count < 4; count += 1) deliveries.push(await accept());
    const [first, expired] = deliveries;
    if (first === undefined || expired === undefined) throw new Error('Not accepted');
    await update(expired.id, { expiresAt: new Date() });
    // Nobody else is to come for the others: they have no jobs.
    await enqueue(first);
    await eventually(async () => {
      const rows = await Promise.all(deliveries.map(rowOf));
      const states = rows.map(({ state }) => state);
      expect(states).toEqual(['delivered', 'expired', 'delivered', 'delivered']);
    });
    const sent = deliveries.filter((one) => one !== expired);
    const ids = sent.map(({ id }) => deliveryId('remote', id));
    expect(fcm.sent.map(({ notificationId }) => notificationId)).toEqual(ids);
    expect(claims.flat()).toEqual(deliveries.map(({ id }) => id));
  });
});
