import { type Platform, platformQueue, type QueueName } from '#contracts';

/** A job per notification would cost more than the sending; one per device far more. */
export const DEVICES_PER_JOB = 100;

/** Devices of one platform that one job sends to. */
export interface DeliveryChunk {
  readonly notificationId: string;
  readonly platform: Platform;
  /** Counts from 0 within the notification's devices of the platform, in the order of their ids. */
  readonly chunk: number;
  readonly deviceIds: readonly number[];
}

/** Cuts the devices of a notification on one platform into chunks; the same devices give the same ones. */
export function chunksOf(
  notificationId: string,
  platform: Platform,
  deviceIds: readonly number[],
): DeliveryChunk[] {
  const sorted = deviceIds.toSorted((a, b) => a - b);
  const chunks: DeliveryChunk[] = [];
  for (let start = 0; start < sorted.length; start += DEVICES_PER_JOB) {
    chunks.push({
      notificationId,
      platform,
      chunk: chunks.length,
      deviceIds: sorted.slice(start, start + DEVICES_PER_JOB),
    });
  }
  return chunks;
}

/** The job that sends a chunk. Its id follows from the chunk, so that it is in its queue once at most. */
export const deliveryJob = (chunk: DeliveryChunk) => ({
  queue: platformQueue(chunk.platform) satisfies QueueName,
  job: {
    name: 'notification.deliver' as const,
    jobId: `${chunk.notificationId}-${chunk.platform}-${chunk.chunk}`,
    payload: {
      v: 1 as const,
      notificationId: chunk.notificationId,
      deviceIds: [...chunk.deviceIds],
    },
  },
});
