import { Injectable } from '@nestjs/common';
import { type DeliverResult, type JobPayload, platformQueue, platforms } from '#contracts';
import type { JobContext, JobHandler, JobOutcome } from '#queue';
import { DeliverToDevice, type Progress } from './deliver-to-device.js';

/** Sends one notification to the devices of a job. */
@Injectable()
export class DeliverNotificationJob implements JobHandler<'notification.deliver'> {
  readonly jobName = 'notification.deliver';

  constructor(private readonly deliverToDevice: DeliverToDevice) {}

  /** Comes back for the devices that are still pending, once the last of them may be tried again. */
  async handle(
    { notificationId, deviceIds }: JobPayload<'notification.deliver'>,
    { queue }: JobContext,
  ): Promise<JobOutcome> {
    const platform = platforms.find((one) => platformQueue(one) === queue);
    if (platform === undefined) throw new Error(`${queue} delivers no notifications`);
    const tries = await Promise.allSettled(
      deviceIds.map(async (deviceId) => ({
        deviceId,
        ...(await this.deliverToDevice.execute(platform, { notificationId, deviceId })),
      })),
    );
    // Only now: what is still being sent must not be started a second time.
    const failed = tries.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return jobOutcomeOf(tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
  }
}

function jobOutcomeOf(all: readonly (Progress & { readonly deviceId: number })[]): JobOutcome {
  const states = Object.fromEntries(all.map(({ deviceId, state }) => [deviceId, state]));
  const result: DeliverResult = { states };
  const times = all.flatMap(({ comesBackAt }) => comesBackAt ?? []);
  return times.length === 0 ? { result } : { result, comesBackAt: Math.max(...times) };
}
