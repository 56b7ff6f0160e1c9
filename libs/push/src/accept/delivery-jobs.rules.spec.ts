import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jobSchemas } from '#contracts';
import { deliveryJob, DEVICES_PER_JOB, jobsOf } from './delivery-jobs.rules.js';

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
  it('puts every device into one job, in order, and fills each job but the last', () => {
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
});

describe(deliveryJob, () => {
  const id = '7b9d4f0e-4f0c-4c50-9a3e-0b8f2f1f0c11';

  it('gives the same items the same id, and others another', () => {
    const job = deliveryJob([{ id, devices: [1, 2] }]);
    expect(deliveryJob([{ id, devices: [1, 2] }]).jobId).toBe(job.jobId);
    expect(deliveryJob([{ id, devices: [1] }]).jobId).not.toBe(job.jobId);
    expect(job.jobId).not.toContain(':');
  });

  it('carries what a worker can read, and names nothing but rows', () => {
    const { payload } = deliveryJob([{ id, devices: [1, 2], isAwaited: true }]);
    expect(jobSchemas['notification.deliver'].parse(payload)).toEqual({
      v: 2,
      items: [{ id, devices: [1, 2], isAwaited: true }],
    });
  });

  it('still reads what the last release wrote', () => {
    const old = { v: 1, notificationId: id, deviceIds: [3] };
    expect(jobSchemas['notification.deliver'].parse(old)).toEqual(old);
  });
});
