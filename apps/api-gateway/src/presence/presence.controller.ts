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
import { PRESENCE_SERVICE, ReadRealmPresence, ReadUserPresence } from '#presence';
import { presenceRequestOf } from './presence-request.rules.js';
import { readRealmPresence, readUserPresence } from './read-presence.schema.js';
import { reportPresence } from './report-presence.schema.js';

@Controller()
export class PresenceController {
  constructor(
    @Inject(PRESENCE_SERVICE) private readonly presence: PresenceService,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly realms: ReadRealmPresence,
    private readonly users: ReadUserPresence,
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

  @Endpoint(readRealmPresence)
  async ofRealm(@SignedIn() caller: Caller) {
    return new JsonText(await this.realms.execute(caller));
  }

  @Endpoint(readUserPresence)
  async ofUser(
    @SignedIn() caller: Caller,
    @Parameters() { user_id_or_email }: ParametersOf<typeof readUserPresence>,
  ) {
    return { presence: await this.users.execute(caller, user_id_or_email) };
  }
}
