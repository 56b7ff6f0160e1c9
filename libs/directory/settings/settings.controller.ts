import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { changeSettings } from './settings.schema.js';
import { type SettingsChange, SettingsService } from './settings.service.js';

@Controller()
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Endpoint(changeSettings)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof changeSettings>,
  ) {
    await this.settings.change(caller, toSettingsChange(parameters));
  }
}

const toSettingsChange = (parameters: ParametersOf<typeof changeSettings>): SettingsChange => ({
  fullName: parameters.full_name,
  timezone: parameters.timezone,
  sharesPresence: parameters.presence_enabled,
  notifications: {
    isPushEnabled: parameters.enable_offline_push_notifications,
    isPushedOnline: parameters.enable_online_push_notifications,
    isPushedChannels: parameters.enable_stream_push_notifications,
    isPushedWildcards: parameters.wildcard_mentions_notify,
  },
});
