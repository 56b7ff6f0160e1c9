import { Get, Inject } from '@nestjs/common';
import { CLOCK, type Clock } from '#core';
import { DeadLetters, PushOverview } from '#push';
import { OpsController } from '../ops-controller.js';
import { overviewAnswer } from './overview.answer.js';

/** How the push pipeline stands. */
@OpsController('ops/api/overview')
export class OverviewController {
  constructor(
    private readonly overview: PushOverview,
    private readonly deadLetters: DeadLetters,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Of the two stores either may be away, and the other still be looked at. */
  @Get()
  async show() {
    const [pipeline, letters] = await Promise.allSettled([
      this.overview.execute(),
      this.deadLetters.countByReason(),
    ]);
    return overviewAnswer(
      pipeline.status === 'fulfilled' ? pipeline.value : null,
      letters.status === 'fulfilled' ? letters.value : null,
      this.clock(),
    );
  }
}
