import { describe, expect, it } from '@jest/globals';
import type { PushJobs, NewJob, QueueName } from '#push/jobs';
import type { JobQueues } from '#platform/queue';
import { URGENT_PER_REALM } from '#push/notifications';
import { TenantDeliveryQueue } from './tenant-delivery-queue.js';

const SHARE = URGENT_PER_REALM.calls;

/** Deliveries of a server without jobs. */
const overdue = (serverId: number, count: number, traits: { readonly isSilent?: boolean } = {}) =>
  Array.from({ length: count }, (_, index) => ({
    id: serverId * 10_000 + index,
    platform: 'fcm' as const,
    serverId,
    isSilent: false,
    ...traits,
  }));

describe(TenantDeliveryQueue.name, () => {
  /** The priorities of the jobs that lost deliveries get in each queue. */
  async function requeued(deliveries: ReturnType<typeof overdue>) {
    const priorities = new Map<QueueName, Set<number | undefined>>();
    const enqueueMany = async (queue: QueueName, jobs: readonly NewJob[]) => {
      const those = priorities.get(queue) ?? new Set();
      for (const { priority } of jobs) those.add(priority);
      priorities.set(queue, those);
    };
    const sut = new TenantDeliveryQueue({ enqueueMany } as unknown as JobQueues<PushJobs>);
    expect(await sut.requeue(deliveries)).toBe(true);
    return Object.fromEntries(
      [...priorities].map(([queue, those]) => [queue, [...those].toSorted()]),
    );
  }

  it('adds lost jobs of servers within their shares to the urgent lane', async () => {
    const lost = [...overdue(1, SHARE), ...overdue(2, SHARE)];
    expect(await requeued(lost)).toEqual({ 'push-fcm': [undefined] });
  });

  it('adds those of a server with more behind those with less, like its other jobs', async () => {
    const lost = [...overdue(1, 2 * SHARE), ...overdue(2, 1, { isSilent: true })];
    expect(await requeued(lost)).toEqual({ 'push-fcm-bulk': [1, 2] });
  });
});
