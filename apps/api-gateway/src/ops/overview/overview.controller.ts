import { Get } from '@nestjs/common';
import { LookAtPipeline } from '#push';
import { OpsController } from '../ops-controller.js';
import { overviewAnswer } from './overview.answer.js';

/** How the push pipeline stands. */
@OpsController('ops/api/overview')
export class OverviewController {
  constructor(private readonly lookAtPipeline: LookAtPipeline) {}

  @Get()
  async show() {
    return overviewAnswer(await this.lookAtPipeline.execute());
  }
}
