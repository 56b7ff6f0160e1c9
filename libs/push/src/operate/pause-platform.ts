import { Injectable } from '@nestjs/common';
import { type Platform, platformQueue, pushLanes } from '#contracts';
import { JobQueues } from '#queue';

/** Holds up what goes to one provider, for every worker there is or will be. */
@Injectable()
export class PausePlatform {
  constructor(private readonly queues: JobQueues) {}

  /**
   * When this resolves no worker begins with another job; what is being sent is sent. Notifications are
   * accepted as before and wait, for as long as their time to live is. Redis keeps the pause: one that
   * has lost its data does not know of it any more. Rejects when Redis is away.
   */
  async execute(platform: Platform): Promise<void> {
    await Promise.all(pushLanes.map((lane) => this.queues.pause(platformQueue(platform, lane))));
  }
}
