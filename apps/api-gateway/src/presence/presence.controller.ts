import { Controller, Inject } from '@nestjs/common';
import type { BodyEncoding, Caller, PresenceService } from '#contracts';
import { type Clock, CLOCK } from '#core';
import {
  Endpoint,
  FinishedResponse,
  JsonText,
  Parameters,
  type ParametersOf,
  SignedIn,
  TakenEncoding,
} from '#edge';
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
    @TakenEncoding() encoding: BodyEncoding | null,
  ) {
    const request = presenceRequestOf(caller, parameters, encoding, this.clock());
    const answer = await this.presence.report(request);
    return typeof answer === 'string'
      ? new JsonText(answer)
      : new FinishedResponse(answer.encoding, answer.body);
  }
}
