import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { changeSettings } from './settings.schema.js';
import { SettingsOfOthersService } from './settings-of-others.service.js';
import { SettingsService } from './settings.service.js';

@Controller()
export class SettingsController {
  constructor(
    private readonly settings: SettingsService,
    private readonly ofOthers: SettingsOfOthersService,
  ) {}

  @Endpoint(changeSettings)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() { full_name, target_users, ...settings }: ParametersOf<typeof changeSettings>,
  ) {
    if (target_users === undefined) {
      await this.settings.changeOwn(caller, { fullName: full_name, settings });
    } else {
      await this.ofOthers.change(caller, target_users, { fullName: full_name, settings });
    }
  }
}
