import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { ChangeOwnStatus, ChangeUserStatus, GetUserStatus } from '#user-status';
import { answerOfStatus } from './user-status.answer.js';
import { statusRequestOf } from './user-status.request.js';
import { changeOwnStatus, changeUserStatus, getUserStatus } from './user-status.schema.js';

@Controller()
export class UserStatusController {
  constructor(
    private readonly ownStatus: ChangeOwnStatus,
    private readonly userStatus: ChangeUserStatus,
    private readonly readStatus: GetUserStatus,
  ) {}

  @Endpoint(changeOwnStatus)
  async changeOwn(
    @SignedIn() caller: Caller,
    @Parameters() { away, ...status }: ParametersOf<typeof changeOwnStatus>,
  ) {
    await this.ownStatus.execute(caller, { ...statusRequestOf(status), isAway: away });
  }

  @Endpoint(changeUserStatus)
  async changeOther(
    @SignedIn() caller: Caller,
    @Parameters() { user_id, ...status }: ParametersOf<typeof changeUserStatus>,
  ) {
    await this.userStatus.execute(caller, user_id, statusRequestOf(status));
  }

  @Endpoint(getUserStatus)
  async get(
    @SignedIn() caller: Caller,
    @Parameters() { user_id }: ParametersOf<typeof getUserStatus>,
  ) {
    return { status: answerOfStatus(await this.readStatus.execute(caller, user_id)) };
  }
}
