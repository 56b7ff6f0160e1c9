import { beforeEach, describe, expect, it } from '@jest/globals';
import type { QueueName } from '#platform/contracts';
import type { JobQueues } from '#platform/queue';
import type { DeliveryQueue } from '#push/notifications';
import type { ControlSweep } from './control-sweep.js';
import type { RetentionSweep } from './retention.js';
import type { GracePeriods, SweepRepository } from './sweep.repository.js';
import { Sweeper } from './sweeper.js';

const GRACE_PERIOD_MS = 3000;

const fails = () => Promise.reject(new Error('connect ECONNREFUSED'));

describe(Sweeper.name, () => {
  let gracePeriods: GracePeriods | undefined;
  let oldestWaitingMs: (queue: QueueName) => Promise<number | null>;
  let claimRedisReset: () => Promise<boolean>;

  beforeEach(() => {
    gracePeriods = undefined;
    oldestWaitingMs = async () => null;
    claimRedisReset = async () => false;
  });

  /** The grace periods of a pass with these queues. */
  async function gracePeriodsOfPass(): Promise<GracePeriods | undefined> {
    const ledger: Pick<SweepRepository, 'overdue'> = {
      overdue: async (given) => {
        gracePeriods = given;
        return { deliveries: [], next: null };
      },
    };
    const queues: Pick<JobQueues, 'claimRedisReset' | 'oldestWaitingMs'> = {
      claimRedisReset: () => claimRedisReset(),
      oldestWaitingMs: (queue) => oldestWaitingMs(queue),
    };
    const nothing = { run: async () => undefined, requeue: async () => true };
    const sut = new Sweeper(
      nothing as unknown as ControlSweep,
      ledger as SweepRepository,
      nothing as unknown as RetentionSweep,
      nothing as unknown as DeliveryQueue,
      queues as JobQueues,
      { everyMs: 1000, gracePeriodMs: GRACE_PERIOD_MS },
    );
    await sut.sweep();
    return gracePeriods;
  }

  it('allows more time to a platform whose jobs wait', async () => {
    oldestWaitingMs = async (queue) => (queue === 'push-apns-bulk' ? 500 : null);
    expect(await gracePeriodsOfPass()).toEqual({
      apns: GRACE_PERIOD_MS + 1000,
      fcm: GRACE_PERIOD_MS,
    });
  });

  it('goes on for a platform while the node of the other is down', async () => {
    claimRedisReset = fails;
    oldestWaitingMs = (queue) => (queue === 'push-fcm' ? fails() : Promise.resolve(0));
    expect(await gracePeriodsOfPass()).toEqual({ apns: GRACE_PERIOD_MS });
  });

  it('adds lost jobs at once, but none for a platform whose node is down', async () => {
    claimRedisReset = async () => true;
    expect(await gracePeriodsOfPass()).toEqual({ apns: 1000, fcm: 1000 });
    oldestWaitingMs = (queue) => (queue === 'push-apns' ? fails() : Promise.resolve(0));
    expect(await gracePeriodsOfPass()).toEqual({ fcm: 1000 });
  });

  it('adds nothing while Redis is down', async () => {
    claimRedisReset = fails;
    oldestWaitingMs = fails;
    expect(await gracePeriodsOfPass()).toEqual({});
  });
});
