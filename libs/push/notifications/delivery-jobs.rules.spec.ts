import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pushJobs } from '#push/jobs';
import {
  deliveryJob,
  DEVICES_PER_JOB,
  jobsOf,
  routeOf,
  URGENT_PER_EVENT,
  URGENT_PER_REALM,
  URGENT_PER_USER,
  retryJobs,
} from './delivery-jobs.rules.js';

const load = (devicesOfUser: number, devicesOfRealm = devicesOfUser, devicesOfEvent = 1) => ({
  devicesOfEvent,
  devicesOfUser,
  devicesOfRealm,
});

describe(routeOf, () => {
  it.each(['test', 'message'] as const)(
    'routes a %s within its share into the urgent lane',
    (kind) => {
      expect(routeOf(kind, load(1))).toEqual({ lane: 'urgent' });
      expect(routeOf(kind, load(URGENT_PER_USER.calls))).toEqual({ lane: 'urgent' });
    },
  );

  it('routes removals into the bulk lane', () => {
    expect(routeOf('remove', load(1))).toEqual({ lane: 'bulk', priority: 1 });
  });

  it.each([
    ['an account', load(URGENT_PER_USER.calls + 1), 2],
    ['an event', load(1, 1, URGENT_PER_EVENT + 1), 2],
    ['an organisation', load(1, URGENT_PER_REALM.calls + 1), 2],
    ['an account with fifty times its share', load(50 * URGENT_PER_USER.calls), 7],
  ])('routes the excess of %s into the bulk lane', (_who, recent, priority) => {
    expect(routeOf('message', recent)).toEqual({ lane: 'bulk', priority });
  });

  it('never prefers a higher load, and stays in the range of priorities', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.nat(10_000_000), (one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        const rank = (devices: number) => routeOf('message', load(devices)).priority ?? 0;
        expect(rank(less)).toBeLessThanOrEqual(rank(more));
        expect(rank(more)).toBeLessThanOrEqual(20);
      }),
    );
  });
});

const items = fc.uniqueArray(fc.uuid(), { maxLength: 20 }).chain((ids) =>
  fc.tuple(
    ...ids.map((id) =>
      fc.record({
        id: fc.constant(id),
        devices: fc.array(fc.nat(), { minLength: 1, maxLength: 250 }),
      }),
    ),
  ),
);

describe(jobsOf, () => {
  it('packs every device into one job, in order, and fills each job but the last', () => {
    fc.assert(
      fc.property(items, (given) => {
        const jobs = jobsOf(given);
        const flat = (list: readonly { id: string; devices: readonly number[] }[]) =>
          list.flatMap(({ id, devices }) => devices.map((device) => `${id} ${device}`));
        expect(jobs.flatMap(flat)).toEqual(flat(given));
        const sizes = jobs.map((job) => flat(job).length);
        expect(sizes.slice(0, -1).every((size) => size === DEVICES_PER_JOB)).toBe(true);
        expect(sizes.every((size) => size > 0 && size <= DEVICES_PER_JOB)).toBe(true);
      }),
    );
  });

  it('splits no page', () => {
    const devices = (count: number) => Array.from({ length: count }, (_, id) => id);
    const mixed = [
      { id: 'a', devices: devices(60), isPage: true },
      { id: 'b', devices: devices(60), isPage: true },
      { id: 'c', devices: devices(30) },
    ];
    expect(
      jobsOf(mixed).map((job) => job.map(({ id, devices: { length } }) => `${id} ${length}`)),
    ).toEqual([['a 60'], ['b 60', 'c 30']]);
  });
});

describe(deliveryJob, () => {
  const id = '7b9d4f0e-4f0c-4c50-9a3e-0b8f2f1f0c11';

  it('has the same id for the same items only', () => {
    const job = deliveryJob([{ id, devices: [1, 2] }]);
    expect(deliveryJob([{ id, devices: [1, 2] }]).jobId).toBe(job.jobId);
    const otherId = id.replace('7b9d', '7b9e');
    const others = [
      [{ id, devices: [1] }],
      [{ id, devices: [12] }],
      [{ id: otherId, devices: [1, 2] }],
      [
        { id, devices: [1] },
        { id: otherId, devices: [2] },
      ],
    ];
    const jobIds = others.map((other) => deliveryJob(other).jobId);
    expect(new Set([job.jobId, ...jobIds]).size).toBe(5);
    expect(job.jobId).not.toContain(':');
  });

  it('has a payload that a worker can parse, with ids only', () => {
    const { payload } = deliveryJob([{ id, devices: [1, 2], isAwaited: true }]);
    expect(pushJobs.payloads['notification.deliver'].parse(payload)).toEqual({
      v: 2,
      items: [{ id, devices: [1, 2], isAwaited: true }],
    });
  });

  it('parses the payload of the previous release', () => {
    const old = { v: 1, notificationId: id, deviceIds: [3] };
    expect(pushJobs.payloads['notification.deliver'].parse(old)).toEqual(old);
  });
});

describe(retryJobs, () => {
  it('delays each retry to its time, and lets those of about the same time share a job', () => {
    const retries = [
      { key: 'a', at: 1001 },
      { key: 'b', at: 1050 },
      { key: 'c', at: 2000 },
      { key: 'late', at: 0 },
    ];
    const jobs = retryJobs(retries, 1000, (keys) => [{ jobId: keys.join('+') }]);
    expect(jobs).toEqual([
      { jobId: 'a+b-1050', delayMs: 50 },
      { jobId: 'c-2000', delayMs: 1000 },
      { jobId: 'late-1000', delayMs: 0 },
    ]);
  });
});
