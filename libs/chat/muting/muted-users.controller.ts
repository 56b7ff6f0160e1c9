import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { muteUser, unmuteUser } from './muted-users.schema.js';
import { MutedUsersService } from './muted-users.service.js';

@Controller()
export class MutedUsersController {
  constructor(private readonly mutedUsers: MutedUsersService) {}

  @Endpoint(muteUser)
  async muteUser(
    @SignedIn() caller: Caller,
    @Parameters() { muted_user_id }: ParametersOf<typeof muteUser>,
  ) {
    await this.mutedUsers.mute(caller, muted_user_id);
  }

  @Endpoint(unmuteUser)
  async unmuteUser(
    @SignedIn() caller: Caller,
    @Parameters() { muted_user_id }: ParametersOf<typeof unmuteUser>,
  ) {
    await this.mutedUsers.unmute(caller, muted_user_id);
  }
}
