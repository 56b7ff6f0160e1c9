import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { ChangeSettings } from '#settings';
import { toSettingsChange } from './settings.request.js';
import { changeSettings } from './settings.schema.js';

@Controller()
export class SettingsController {
  constructor(private readonly settings: ChangeSettings) {}

  @Endpoint(changeSettings)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof changeSettings>,
  ) {
    await this.settings.execute(caller, toSettingsChange(parameters));
  }
}
