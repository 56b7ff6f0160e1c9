import { Controller, Inject } from '@nestjs/common';
import type { Caller, PresenceService } from '#contracts';
import { type Clock, CLOCK } from '#core';
import { Endpoint, JsonText, Parameters, type ParametersOf, SignedIn } from '#edge';
import { PRESENCE_SERVICE } from '#presence';
import { presenceRequestOf } from './presence-request.rules.js';
import { reportPresence } from './report-presence.schema.js';

@Controller()
export class PresenceController {
  constructor(
    @Inject(PRESENCE_SERVICE) private readonly presence: PresenceService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint(reportPresence)
  async report(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof reportPresence>,
  ) {
    const request = presenceRequestOf(caller, parameters, this.clock());
    return new JsonText(await this.presence.report(request));
  }
}
