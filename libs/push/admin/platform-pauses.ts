import { Injectable } from '@nestjs/common';
import { type PushJobs, type Platform, platformQueue, pushLanes } from '#push/jobs';
import { OperatorActions } from '#platform/operator-actions';
import { JobQueues } from '#platform/queue';

/** Pauses and resumes platforms for an operator, with a record. */
@Injectable()
export class PlatformPauses {
  constructor(
    private readonly queues: JobQueues<PushJobs>,
    private readonly actions: OperatorActions,
  ) {}

  /**
   * Pauses a platform in all workers. When this resolves, no worker starts another job; pushes in flight are
   * completed. Notifications are accepted as before, and wait for as long as their time to live. Redis keeps
   * the pause, and loses it with its data. Rejects when Redis is down.
   */
  async pause(platform: Platform): Promise<void> {
    await Promise.all(pushLanes.map((lane) => this.queues.pause(platformQueue(platform, lane))));
    await this.actions.record({ action: 'push.pause', target: platform });
  }

  /** Ends the pause of a platform; the oldest deliveries are sent first. Rejects when Redis is down. */
  async resume(platform: Platform): Promise<void> {
    await Promise.all(pushLanes.map((lane) => this.queues.resume(platformQueue(platform, lane))));
    await this.actions.record({ action: 'push.resume', target: platform });
  }
}
