import { Injectable } from '@nestjs/common';
import { type JobPayload, platformQueue, platforms, pushLanes } from '#contracts';
import type { JobContext, JobHandler, JobOutcome } from '#queue';
import { DeliverItems } from './deliver-items.js';
import type { Destination } from './try-deliveries.js';

/** Sends notifications to the devices of a job. */
@Injectable()
export class DeliverNotificationJob implements JobHandler<'notification.deliver'> {
  readonly jobName = 'notification.deliver';

  constructor(private readonly deliverItems: DeliverItems) {}

  handle(job: JobPayload<'notification.deliver'>, { queue }: JobContext): Promise<JobOutcome> {
    const destination = destinations.find((one) => one.queue === queue);
    if (destination === undefined) throw new Error(`${queue} delivers no notifications`);
    const items = job.v === 1 ? [{ id: job.notificationId, devices: job.deviceIds }] : job.items;
    return this.deliverItems.execute(destination, items);
  }
}

const destinations: readonly Destination[] = platforms.flatMap((platform) =>
  pushLanes.map((lane) => ({ queue: platformQueue(platform, lane), platform, lane })),
);
