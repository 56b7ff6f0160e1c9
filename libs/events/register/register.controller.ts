import { Controller } from '@nestjs/common';
import { type BodyEncoding, type Caller, reportedVersion } from '#platform/contracts';
import {
  AcceptedEncoding,
  Endpoint,
  Parameters,
  type ParametersOf,
  sharedAnswer,
  SignedIn,
} from '#platform/http';
import { clientCapabilities } from '#events/declarations';
import { DEFAULT_IDLE_SECONDS, idleSecondsOf } from './idle-timeout.rules.js';
import { subscribersChoiceOf } from './include-subscribers.rules.js';
import { narrowOf } from './narrow.rules.js';
import { register } from './register.schema.js';
import { RegisterService } from './register.service.js';

@Controller()
export class RegisterController {
  constructor(private readonly service: RegisterService) {}

  @Endpoint(register)
  async register(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof register>,
    @AcceptedEncoding(['gzip']) encoding: BodyEncoding | null,
  ) {
    const idleSeconds = idleSecondsIn(parameters);
    const registered = await this.service.register(caller, {
      options: optionsIn(parameters),
      idleSeconds,
      fetchTypes: parameters.fetch_event_types,
      presenceHistoryDays: parameters.presence_history_limit_days,
    });
    const fields = {
      ...registered.state,
      queue_id: registered.queueId,
      last_event_id: registered.lastEventId,
      idle_queue_timeout_secs: idleSeconds,
      ...reportedVersion,
    };
    return sharedAnswer(registered.shared, fields, encoding);
  }
}

type RegisterParameters = ParametersOf<typeof register>;

function idleSecondsIn({ idle_queue_timeout, queue_lifespan_secs }: RegisterParameters): number {
  const given = idle_queue_timeout ?? queue_lifespan_secs;
  return (given === undefined ? null : idleSecondsOf(given)) ?? DEFAULT_IDLE_SECONDS;
}

const optionsIn = (parameters: RegisterParameters) => ({
  eventTypes: parameters.event_types,
  narrow: narrowOf(parameters.narrow ?? []),
  applyMarkdown: parameters.apply_markdown,
  clientGravatar: parameters.client_gravatar,
  slimPresence: parameters.slim_presence,
  allPublicStreams: parameters.all_public_streams ?? false,
  includeSubscribers: subscribersChoiceOf(parameters.include_subscribers) ?? false,
  capabilities: clientCapabilities.filter((name) => parameters.client_capabilities[name] === true),
});
