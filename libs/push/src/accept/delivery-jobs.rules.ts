import { createHash } from 'node:crypto';
import type { JobPayload } from '#contracts';

/** A job per notification would cost more than the sending; one per device far more. */
export const DEVICES_PER_JOB = 100;

/** Devices that one notification goes to. */
export interface DeliveryItem {
  readonly id: string;
  readonly devices: readonly number[];
  /** Whether somebody waits to hear what comes of it. */
  readonly isAwaited?: boolean | undefined;
}

/** Fills jobs with items, cutting those that are too large; in their order. */
export function jobsOf(items: readonly DeliveryItem[]): DeliveryItem[][] {
  const jobs: DeliveryItem[][] = [];
  let room = 0;
  for (const item of items) {
    let rest = item.devices;
    while (rest.length > 0) {
      if (room === 0) {
        jobs.push([]);
        room = DEVICES_PER_JOB;
      }
      const devices = rest.slice(0, room);
      jobs.at(-1)?.push({ ...item, devices });
      rest = rest.slice(devices.length);
      room -= devices.length;
    }
  }
  return jobs;
}

/** The job of some items. Its id follows from them, so that the same ones are not in a queue twice. */
export function deliveryJob(items: readonly DeliveryItem[]) {
  const digest = createHash('sha256');
  for (const { id, devices } of items) digest.update(`${id}:${devices.join()};`);
  const payload: JobPayload<'notification.deliver'> = {
    v: 2,
    items: items.map(({ id, devices, isAwaited }) => ({
      id,
      devices: [...devices],
      ...(isAwaited === true ? { isAwaited } : {}),
    })),
  };
  return { name: 'notification.deliver' as const, jobId: digest.digest('base64url'), payload };
}
