import { systemClock } from '#platform/core';
import type { Database } from '#platform/database';
import { PUSH_TARGETS } from '#push/devices';
import type { DeliveryQueue } from '../delivery-queue.js';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { MessageFanOutJob } from './message-fan-out.job.js';
import { MessageFanOutRepository } from './message-fan-out.repository.js';

/** The job of a worker; `enqueue` is called after the commit of each page. */
export const fanOutJob = (
  database: Database,
  enqueue: DeliveryQueue['enqueue'],
): MessageFanOutJob =>
  new MessageFanOutJob(
    database,
    new MessageFanOutRepository(database),
    new MessageNotificationRepository(PUSH_TARGETS),
    { enqueue } as Pick<DeliveryQueue, 'enqueue'> as DeliveryQueue,
    systemClock,
  );

/** Runs the job until no message of the channel waits, as a worker does. */
export async function runToEnd(job: MessageFanOutJob, channelId: number): Promise<void> {
  const { retryAt } = await job.handle({ v: 1, channelId });
  if (retryAt !== undefined) await runToEnd(job, channelId);
}
