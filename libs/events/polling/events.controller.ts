import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import {
  Closed,
  HijackedAnswer,
  Endpoint,
  JsonText,
  type OnClosed,
  Parameters,
  type ParametersOf,
  SignedIn,
} from '#platform/http';
import { QueuesService } from '#events/queues';
import { deleteQueue, getEvents } from './polling.schema.js';
import { PollingService } from './polling.service.js';
import type { Poll } from './queue-polls.js';

@Controller()
export class EventsController {
  constructor(
    private readonly polling: PollingService,
    private readonly queues: QueuesService,
  ) {}

  @Endpoint(getEvents)
  get(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof getEvents>,
    @Closed() onClosed: OnClosed,
  ) {
    const answer = this.polling.poll(caller, pollOf(parameters), onClosed);
    return new HijackedAnswer(answer.then((events) => fieldsOf(parameters, events)));
  }

  @Endpoint(deleteQueue)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { queue_id }: ParametersOf<typeof deleteQueue>,
  ) {
    await this.queues.remove(caller, queue_id);
  }
}

/** The poll of a request. */
export const pollOf = ({
  queue_id,
  last_event_id,
  dont_block,
}: ParametersOf<typeof getEvents>): Poll => ({
  queueId: queue_id,
  lastEventId: last_event_id,
  isImmediate: dont_block,
});

/** The fields of the answer to a request, with the JSON texts of its events. */
export const fieldsOf = (
  { queue_id }: ParametersOf<typeof getEvents>,
  events: readonly string[],
): JsonText =>
  new JsonText(`{"events":[${events.join(',')}],"queue_id":${JSON.stringify(queue_id)}}`);
