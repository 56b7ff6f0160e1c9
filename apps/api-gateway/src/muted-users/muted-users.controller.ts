import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { MuteUser, UnmuteUser } from '#muted-users';
import { muteUser, unmuteUser } from './muted-users.schema.js';

@Controller()
export class MutedUsersController {
  constructor(
    private readonly mute: MuteUser,
    private readonly unmute: UnmuteUser,
  ) {}

  @Endpoint(muteUser)
  async muteUser(
    @SignedIn() caller: Caller,
    @Parameters() { muted_user_id }: ParametersOf<typeof muteUser>,
  ) {
    await this.mute.execute(caller, muted_user_id);
  }

  @Endpoint(unmuteUser)
  async unmuteUser(
    @SignedIn() caller: Caller,
    @Parameters() { muted_user_id }: ParametersOf<typeof unmuteUser>,
  ) {
    await this.unmute.execute(caller, muted_user_id);
  }
}
