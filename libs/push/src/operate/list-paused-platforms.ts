import { Injectable } from '@nestjs/common';
import { type Platform, platformQueue, platforms, pushLanes } from '#contracts';
import { JobQueues } from '#queue';

/** Says which platforms an operator holds up. */
@Injectable()
export class ListPausedPlatforms {
  constructor(private readonly queues: JobQueues) {}

  /** A platform counts when one of its queues is paused. Rejects when Redis is away. */
  async execute(): Promise<Platform[]> {
    const paused = await Promise.all(
      platforms.flatMap((platform) =>
        pushLanes.map(async (lane) =>
          (await this.queues.isPaused(platformQueue(platform, lane))) ? platform : null,
        ),
      ),
    );
    return platforms.filter((platform) => paused.includes(platform));
  }
}
