import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { ChangeSettings } from '#settings';
import { changeSettings } from './settings.schema.js';

@Controller()
export class SettingsController {
  constructor(private readonly settings: ChangeSettings) {}

  @Endpoint(changeSettings)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() { full_name, timezone, presence_enabled }: ParametersOf<typeof changeSettings>,
  ) {
    const settings = { fullName: full_name, timezone, sharesPresence: presence_enabled };
    await this.settings.execute(caller, settings);
  }
}
