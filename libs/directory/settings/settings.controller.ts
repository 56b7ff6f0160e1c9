import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { changeSettings } from './settings.schema.js';
import { SettingsService } from './settings.service.js';

@Controller()
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Endpoint(changeSettings)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() { full_name, ...settings }: ParametersOf<typeof changeSettings>,
  ) {
    await this.settings.changeOwn(caller, { fullName: full_name, settings });
  }
}
