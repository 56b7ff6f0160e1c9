import type { INestApplicationContext } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { platformQueue, pushLanes } from '#push/jobs';
import { JobQueues } from '#platform/queue';
import { TenantAcceptanceRepository } from '../notify/tenant-acceptance.repository.js';
import { TenantContentSealer } from '../notify/tenant-content-sealer.js';
import { TenantDeliveryQueue } from '../notify/tenant-delivery-queue.js';
import { eventually } from '#test/eventually';
import { usePushSystem } from '#test/push-system';
import { RecordingTransport } from '#test/recording-transport';
import { addRemotePhone, addRemoteServer } from '#test/remote-rows';
import { deliveryId, Sweeper } from '#push/delivery';
import { TenantDeliveryRepository } from './tenant-delivery.repository.js';

/** Longer ago than the sweep takes a job for late. */
const LONG_AGO = new Date(Date.now() - 3_600_000);

const system = usePushSystem();
let worker: INestApplicationContext;
let fcm: RecordingTransport;
let serverId: number;
let deviceId: number;
/** The ids of each claim. */
let claims: (readonly number[])[];

beforeEach(async () => {
  serverId = await addRemoteServer(prisma());
  ({ id: deviceId } = await addRemotePhone(prisma(), serverId));
  fcm = new RecordingTransport();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await system.stopWorkers();
  await system.forgetQueues();
});

const prisma = () => system.database.prisma;
const service = <Service>(type: new (...args: never[]) => Service): Service =>
  worker.get(type, { strict: false });

async function startWorker(): Promise<void> {
  worker = await system.startWorker({ fcm });
  claims = [];
  const repository = service(TenantDeliveryRepository);
  const claim = repository.claim;
  jest.spyOn(repository, 'claim').mockImplementation((ids) => {
    claims.push(ids);
    return claim(ids);
  });
}

/** Accepts a notification to the phone, without a job. */
async function accept() {
  const content = { isSilent: false, apnsUrgency: null, payload: { event: 'message' } };
  const sealed = service(TenantContentSealer).seal(content);
  const given = {
    deviceId,
    platform: 'fcm',
    sealed,
    isSilent: false,
    timeToLiveMs: 600_000,
  } as const;
  const acceptances = new TenantAcceptanceRepository(system.database);
  const [accepted] = await acceptances.accept(serverId, [given]);
  if (accepted === undefined) throw new Error('Not accepted');
  return accepted;
}

type Accepted = Awaited<ReturnType<typeof accept>>;

/** Resolves when Redis has the job: a worker that has just started is not connected yet. */
const enqueue = (delivery: Accepted) =>
  eventually(async () => {
    const batch = { serverId, deliveries: [delivery], isSilent: false };
    expect(await service(TenantDeliveryQueue).enqueue(batch)).toBe(true);
  });
const rowOf = ({ id }: Accepted) => prisma().remoteDelivery.findUniqueOrThrow({ where: { id } });

/** Of a delivery that waits for a retry. */
const delayed = () => ({ dueAt: new Date(Date.now() + 60_000), reason: 'TooManyRequests' });
const update = (id: number, data: { dueAt?: Date; reason?: string; expiresAt?: Date }) =>
  prisma().remoteDelivery.update({ where: { id }, data });

async function jobs(): Promise<number> {
  const queues = pushLanes.map((lane) => platformQueue('fcm', lane));
  const counts = await Promise.all(queues.map((queue) => service(JobQueues).counts(queue)));
  return counts.reduce((sum, one) => sum + one.waiting + one.delayed + one.active, 0);
}

describe('Notifications of a server behind one that waits', () => {
  it('have one job each, are claimed a few times, and are not overdue', async () => {
    await startWorker();
    const requeue = jest.spyOn(service(TenantDeliveryQueue), 'requeue');
    const first = await accept();
    const retry = delayed();
    await update(first.id, retry);
    const later: Accepted[] = [];
    for (let count = 0; count < 10; count += 1) {
      const delivery = await accept();
      await update(delivery.id, { dueAt: LONG_AGO });
      later.push(delivery);
      await enqueue(delivery);
    }
    await eventually(async () => {
      const rows = await Promise.all(later.map(rowOf));
      expect(rows.map(({ dueAt }) => dueAt)).toEqual(later.map(() => retry.dueAt));
      expect(await jobs()).toBe(later.length);
    });
    for (let pass = 0; pass < 3; pass += 1) await service(Sweeper).sweep();
    expect(requeue.mock.calls.filter(([overdue]) => overdue.length > 0)).toEqual([]);
    expect(claims.length).toBeLessThanOrEqual(2 * later.length);
    expect(await jobs()).toBe(later.length);
    expect(fcm.sent).toEqual([]);
  });

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
