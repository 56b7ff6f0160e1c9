import { Controller, Inject, Optional } from '@nestjs/common';
import type { BodyEncoding, Caller } from '#platform/contracts';
import type { PresenceService } from '#presence/rpc';
import { type Clock, systemClock } from '#platform/core';
import {
  Endpoint,
  CompressedResponse,
  JsonText,
  Parameters,
  type ParametersOf,
  SignedIn,
  AcceptedEncoding,
} from '#platform/http';
import { PRESENCE_SERVICE } from '#presence/client';
import { PresenceReadingService, PresenceViewers } from '#presence/reading';
import {
  presenceRequestOf,
  readRealmPresence,
  readUserPresence,
  reportPresence,
} from './presence.schema.js';

@Controller()
export class PresenceController {
  constructor(
    @Inject(PRESENCE_SERVICE) private readonly presence: PresenceService,
    @Optional() private readonly clock: Clock = systemClock,
    private readonly viewers: PresenceViewers,
    private readonly reading: PresenceReadingService,
  ) {}

  @Endpoint(reportPresence)
  async report(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof reportPresence>,
    @AcceptedEncoding() encoding: BodyEncoding | null,
  ) {
    const reporter = { caller, viewer: this.viewers.of(caller) };
    const request = presenceRequestOf(reporter, parameters, encoding, this.clock());
    const answer = await this.presence.report(request);
    return typeof answer === 'string'
      ? new JsonText(answer)
      : new CompressedResponse(answer.encoding, answer.body);
  }

  @Endpoint(readRealmPresence)
  async ofRealm(@SignedIn() caller: Caller) {
    return new JsonText(await this.reading.readRealm(caller));
  }

  @Endpoint(readUserPresence)
  async ofUser(
    @SignedIn() caller: Caller,
    @Parameters() { user_id_or_email }: ParametersOf<typeof readUserPresence>,
  ) {
    return this.reading.readUser(caller, user_id_or_email);
  }
}
