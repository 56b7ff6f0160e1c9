import { Injectable } from '@nestjs/common';
import { type Platform, platformQueue, pushLanes } from '#contracts';
import { JobQueues } from '#queue';

/** Ends the pause of a platform. */
@Injectable()
export class ResumePlatform {
  constructor(private readonly queues: JobQueues) {}

  /** What waited is sent from now on, the oldest first. Rejects when Redis is away. */
  async execute(platform: Platform): Promise<void> {
    await Promise.all(pushLanes.map((lane) => this.queues.resume(platformQueue(platform, lane))));
  }
}
