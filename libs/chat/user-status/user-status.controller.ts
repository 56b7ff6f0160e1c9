import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { toStatusResponse } from './user-status.response.js';
import type { StatusRequest } from './status-request.rules.js';
import { changeOwnStatus, changeUserStatus, getUserStatus } from './user-status.schema.js';
import { UserStatusService } from './user-status.service.js';

@Controller()
export class UserStatusController {
  constructor(private readonly statuses: UserStatusService) {}

  @Endpoint(changeOwnStatus)
  async changeOwn(
    @SignedIn() caller: Caller,
    @Parameters()
    { away, expires_at, pause_push, ...status }: ParametersOf<typeof changeOwnStatus>,
  ) {
    const end = { expiresAt: expires_at, pausesPush: pause_push };
    await this.statuses.changeOwn(caller, { ...toStatusRequest(status), ...end, isAway: away });
  }

  @Endpoint(changeUserStatus)
  async changeOther(
    @SignedIn() caller: Caller,
    @Parameters() { user_id, ...status }: ParametersOf<typeof changeUserStatus>,
  ) {
    await this.statuses.changeOther(caller, user_id, toStatusRequest(status));
  }

  @Endpoint(getUserStatus)
  async get(
    @SignedIn() caller: Caller,
    @Parameters() { user_id }: ParametersOf<typeof getUserStatus>,
  ) {
    const status = await this.statuses.get(caller, user_id);
    const { endsAt } = status;
    return {
      status: { ...toStatusResponse(status), ...(endsAt !== null && { expires_at: endsAt }) },
    };
  }
}

interface StatusParameters {
  readonly status_text?: string | undefined;
  readonly emoji_name?: string | undefined;
  readonly emoji_code?: string | undefined;
  readonly reaction_type?: string | undefined;
}

const toStatusRequest = (parameters: StatusParameters): StatusRequest => ({
  text: parameters.status_text,
  emojiName: parameters.emoji_name,
  emojiCode: parameters.emoji_code,
  emojiType: parameters.reaction_type,
});
