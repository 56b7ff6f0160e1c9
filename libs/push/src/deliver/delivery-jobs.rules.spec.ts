import { describe, expect, it } from '@jest/globals';
import { jobSchemas } from '#contracts';
import { chunksOf, deliveryJob } from './delivery-jobs.rules.js';

const notificationId = '7b9d4f0e-4f0c-4c50-9a3e-0b8f2f1f0c11';
const devices = Array.from({ length: 250 }, (_, index) => 1000 - index);

describe(chunksOf.name, () => {
  it('cuts devices into jobs of a hundred', () => {
    const sizes = chunksOf(notificationId, 'fcm', devices).map((chunk) => chunk.deviceIds.length);
    expect(sizes).toEqual([100, 100, 50]);
  });

  it('gives the same chunks in whatever order the devices come', () => {
    expect(chunksOf(notificationId, 'fcm', devices.toReversed())).toEqual(
      chunksOf(notificationId, 'fcm', devices),
    );
  });

  it('makes nothing of no devices', () => {
    expect(chunksOf(notificationId, 'apns', [])).toEqual([]);
  });
});

describe(deliveryJob.name, () => {
  it('makes a job whose id follows from its chunk', () => {
    const chunk = { notificationId, platform: 'apns', chunk: 1, deviceIds: [3, 4] } as const;
    const { queue, job } = deliveryJob(chunk);
    expect(queue).toBe('push-apns');
    expect(job.jobId).toBe(`${notificationId}-apns-1`);
    expect(jobSchemas['notification.deliver'].parse(job.payload)).toEqual(job.payload);
  });
});
