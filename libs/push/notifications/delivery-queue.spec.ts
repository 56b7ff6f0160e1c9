import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PushJobs, NewJob, QueueName } from '#push/jobs';
import type { JobQueues } from '#platform/queue';
import type { PushObserver } from '#push/observability';
import { URGENT_PER_REALM, URGENT_PER_USER } from './delivery-jobs.rules.js';
import { DeliveryQueue } from './delivery-queue.js';

const REALM = 1;

let now: number;

beforeEach(() => {
  now = 1_000_000;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** A queue of deliveries, and the number of devices that it has put into each job queue. */
function recordingQueue() {
  const devices = new Map<QueueName, number>();
  const enqueueMany = async (queue: QueueName, jobs: readonly NewJob[]) => {
    for (const { payload } of jobs as readonly NewJob<'notification.deliver'>[]) {
      if (!('items' in payload)) continue;
      for (const item of payload.items) {
        devices.set(queue, (devices.get(queue) ?? 0) + item.devices.length);
      }
    }
  };
  const observer = { accepted: () => undefined } as unknown as PushObserver;
  const sut = new DeliveryQueue({ enqueueMany } as unknown as JobQueues<PushJobs>, observer);
  return { sut, devices };
}

const notification = (userId: number, { realmId = REALM, devices = 1 } = {}) => ({
  notificationId: randomUUID(),
  kind: 'test' as const,
  userId,
  realmId,
  platform: 'apns' as const,
  deviceIds: Array.from({ length: devices }, (_none, index) => index + 1),
});

/** One event for each account, as the requests of a storm. */
const storm = (sut: DeliveryQueue, accounts: number) =>
  Promise.all(
    Array.from({ length: accounts }, (_none, userId) => sut.enqueue([notification(userId)])),
  );

describe(DeliveryQueue, () => {
  it('puts the share of an organisation into the urgent queue, and the excess into the bulk queue', async () => {
    const { sut, devices } = recordingQueue();
    await storm(sut, URGENT_PER_REALM.calls + 50);
    expect(Object.fromEntries(devices)).toEqual({
      'push-apns': URGENT_PER_REALM.calls,
      'push-apns-bulk': 50,
    });
  });

  it('puts notifications of other organisations into the urgent queue during a storm', async () => {
    const { sut, devices } = recordingQueue();
    await storm(sut, URGENT_PER_REALM.calls + 50);
    await sut.enqueue([notification(1, { realmId: REALM + 1 })]);
    expect(devices.get('push-apns')).toBe(URGENT_PER_REALM.calls + 1);
  });

  it('gives an organisation a new share after its window', async () => {
    const { sut, devices } = recordingQueue();
    await storm(sut, URGENT_PER_REALM.calls);
    now += URGENT_PER_REALM.seconds * 1000;
    await storm(sut, URGENT_PER_REALM.calls);
    expect(Object.fromEntries(devices)).toEqual({ 'push-apns': 2 * URGENT_PER_REALM.calls });
  });

  it('gives an account a new share only after its own, longer window', async () => {
    const { sut, devices } = recordingQueue();
    const half = { devices: URGENT_PER_USER.calls / 2 };
    await sut.enqueue([notification(1, half)]);
    now += URGENT_PER_REALM.seconds * 1000;
    await sut.enqueue([notification(1, half)]);
    now += URGENT_PER_REALM.seconds * 1000;
    await sut.enqueue([notification(1, half)]);
    expect(devices.get('push-apns-bulk')).toBe(half.devices);
  });
});
