import { Get } from '@nestjs/common';
import { OperatorActions } from '#platform/operator-actions';
import { OpsController } from './ops-controller.js';

const MAX_LISTED = 50;

/** Shows the recent changes by operators. */
@OpsController('ops/api/actions')
export class ActionsController {
  constructor(private readonly actions: OperatorActions) {}

  @Get()
  async list() {
    const actions = await this.actions.list(MAX_LISTED);
    return { actions: actions.map(({ doneAt, ...action }) => ({ at: +doneAt, ...action })) };
  }
}
