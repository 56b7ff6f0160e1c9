import { Controller, Headers } from '@nestjs/common';
import { Endpoint } from '#platform/http';
import { toServerSettingsResponse } from './server-settings.response.js';
import { getServerSettings } from './server-settings.schema.js';
import { ServerSettingsService } from './server-settings.service.js';

@Controller()
export class ServerSettingsController {
  constructor(private readonly settings: ServerSettingsService) {}

  // A request of HTTP 1.0 needs no host.
  @Endpoint(getServerSettings)
  async get(@Headers('host') host = '', @Headers('user-agent') userAgent = '') {
    return toServerSettingsResponse(await this.settings.describe(host), userAgent);
  }
}
