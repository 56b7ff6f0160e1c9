import { describe, expect, it } from '@jest/globals';
import type { PhonePlatform } from '#push/jobs';
import type { TenantDeliveryQueue } from '../notify/tenant-delivery-queue.js';
import { TenantSweep } from './tenant-sweep.js';
import type { TenantSweepRepository } from './tenant-sweep.repository.js';

const PAGE = 500;

describe(TenantSweep.name, () => {
  /** The pages that are requeued while the queues of some platforms are down. */
  async function requeued(
    gracePeriods: Partial<Record<PhonePlatform, number>>,
    down: readonly PhonePlatform[] = [],
  ): Promise<string[]> {
    const last: Record<PhonePlatform, number> = { apns: PAGE + 3, fcm: PAGE + PAGE };
    const ledger: Pick<TenantSweepRepository, 'overdue' | 'forget'> = {
      forget: async () => 0,
      overdue: async (platform, _ageMs, afterId, limit) =>
        Array.from({ length: Math.min(limit, last[platform] - afterId) }, (_, place) => ({
          id: afterId + 1 + place,
          platform,
          serverId: 1,
          isSilent: false,
        })),
    };
    const calls: string[] = [];
    const queue: Pick<TenantDeliveryQueue, 'requeue'> = {
      requeue: async (overdue) => {
        const [platform] = new Set(overdue.map((one) => one.platform));
        calls.push(`${platform ?? 'none'} ${overdue.length}`);
        return platform === undefined || !down.includes(platform);
      },
    };
    const sut = new TenantSweep(ledger as TenantSweepRepository, queue as TenantDeliveryQueue, {
      historyMs: 1000,
    });
    await sut.sweep({ gracePeriods: async () => gracePeriods, isStopped: () => false });
    return calls;
  }

  it('adds the lost jobs of both platforms, page by page', async () => {
    const all = ['apns 500', 'apns 3', 'fcm 500', 'fcm 500', 'none 0'];
    expect(await requeued({ apns: 1000, fcm: 1000 })).toEqual(all);
  });

  it('leaves out a platform whose Redis does not answer', async () => {
    expect(await requeued({ apns: 1000 })).toEqual(['apns 500', 'apns 3']);
    expect(await requeued({ apns: 1000, fcm: 1000 }, ['apns'])).toEqual([
      'apns 500',
      'fcm 500',
      'fcm 500',
      'none 0',
    ]);
  });
});
