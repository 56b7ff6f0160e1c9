import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { changeRealm } from './realm-settings.schema.js';
import { RealmSettingsService } from './realm-settings.service.js';

@Controller()
export class RealmSettingsController {
  constructor(private readonly settings: RealmSettingsService) {}

  @Endpoint(changeRealm)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof changeRealm>,
  ) {
    await this.settings.change(caller, parameters);
  }
}
