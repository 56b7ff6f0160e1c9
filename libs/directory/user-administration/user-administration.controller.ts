import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { changeUser } from './user-administration.schema.js';
import { UserAdministrationService } from './user-administration.service.js';

@Controller()
export class UserAdministrationController {
  constructor(private readonly administration: UserAdministrationService) {}

  @Endpoint(changeUser)
  async change(
    @SignedIn() caller: Caller,
    @Parameters()
    { user_id, full_name: fullName, role, profile_data }: ParametersOf<typeof changeUser>,
  ) {
    const profileData = profile_data?.map(({ id, value }) => ({ fieldId: id, value }));
    await this.administration.change(caller, user_id, { fullName, role, profileData });
  }
}
