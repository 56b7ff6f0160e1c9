import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PushJobs, QueueName } from '#push/jobs';
import type { JobQueues } from '#platform/queue';
import { ownQueues, type QueuePlatform, sharedQueues } from '#push/relay';
import { GracePeriodReader } from './grace-period-reader.js';
import type { GracePeriods } from './sweep.repository.js';
import type { SweepTask } from './sweep-task.js';
import { Sweeper } from './sweeper.js';

const GRACE_PERIOD_MS = 3000;

const fails = () => Promise.reject(new Error('connect ECONNREFUSED'));

describe(Sweeper.name, () => {
  let oldestWaitingMs: (queue: QueueName) => Promise<number | null>;
  let claimRedisReset: () => Promise<boolean>;
  let queuePlatform: QueuePlatform;
  let retentions: number;

  beforeEach(() => {
    oldestWaitingMs = async () => null;
    claimRedisReset = async () => false;
    queuePlatform = ownQueues;
    retentions = 0;
  });

  /** The grace periods of a pass with these queues; all its tasks get the same. */
  async function gracePeriodsOfPass(): Promise<GracePeriods> {
    const given: GracePeriods[] = [];
    const part: SweepTask = {
      sweep: async ({ gracePeriods }) => {
        given.push(await gracePeriods());
      },
    };
    const retention: SweepTask = {
      sweep: async () => {
        retentions += 1;
      },
    };
    const queues: Pick<JobQueues<PushJobs>, 'claimRedisReset' | 'oldestWaitingMs'> = {
      claimRedisReset: () => claimRedisReset(),
      oldestWaitingMs: (queue) => oldestWaitingMs(queue),
    };
    const timing = { everyMs: 1000, gracePeriodMs: GRACE_PERIOD_MS };
    const sut = new Sweeper(
      [part, part, retention],
      new GracePeriodReader(queues as JobQueues<PushJobs>, timing, queuePlatform),
      timing,
    );
    await sut.sweep();
    const [first, second] = given;
    expect(second).toBe(first);
    return first ?? {};
  }

  it('allows more time to a platform whose jobs wait', async () => {
    oldestWaitingMs = async (queue) => (queue === 'push-apns-bulk' ? 500 : null);
    expect(await gracePeriodsOfPass()).toEqual({
      apns: GRACE_PERIOD_MS + 1000,
      fcm: GRACE_PERIOD_MS,
      web: GRACE_PERIOD_MS,
    });
  });

  it('allows more time to all phones on a server that relays, where they share queues', async () => {
    queuePlatform = sharedQueues;
    oldestWaitingMs = async (queue) => (queue === 'push-apns' ? 500 : null);
    const more = GRACE_PERIOD_MS + 1000;
    expect(await gracePeriodsOfPass()).toEqual({ apns: more, fcm: more, web: GRACE_PERIOD_MS });
  });

  it('goes on for a platform while the node of the other is down', async () => {
    claimRedisReset = fails;
    oldestWaitingMs = (queue) => (queue === 'push-fcm' ? fails() : Promise.resolve(0));
    expect(await gracePeriodsOfPass()).toEqual({ apns: GRACE_PERIOD_MS, web: GRACE_PERIOD_MS });
  });

  it('adds lost jobs at once, but none for a platform whose node is down', async () => {
    claimRedisReset = async () => true;
    expect(await gracePeriodsOfPass()).toEqual({ apns: 1000, fcm: 1000, web: 1000 });
    oldestWaitingMs = (queue) => (queue === 'push-apns' ? fails() : Promise.resolve(0));
    expect(await gracePeriodsOfPass()).toEqual({ fcm: 1000, web: 1000 });
  });

  it('adds nothing while Redis is down, and still removes old rows', async () => {
    claimRedisReset = fails;
    oldestWaitingMs = fails;
    expect(await gracePeriodsOfPass()).toEqual({});
    expect(retentions).toBe(1);
  });
});
