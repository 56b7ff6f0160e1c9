import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import {
  Closed,
  DeferredAnswer,
  Endpoint,
  JsonText,
  Parameters,
  type ParametersOf,
  SignedIn,
} from '#platform/http';
import { deleteQueue, getEvents } from './polling.schema.js';
import { type OnClosed, PollingService } from './polling.service.js';

@Controller()
export class EventsController {
  constructor(private readonly polling: PollingService) {}

  @Endpoint(getEvents)
  get(
    @SignedIn() caller: Caller,
    @Parameters() { queue_id, last_event_id, dont_block }: ParametersOf<typeof getEvents>,
    @Closed() onClosed: OnClosed,
  ) {
    const poll = { queueId: queue_id, lastEventId: last_event_id, isImmediate: dont_block };
    const answer = this.polling.poll(caller, poll, onClosed).then((events) => {
      const queueId = JSON.stringify(queue_id);
      return new JsonText(`{"events":[${events.join(',')}],"queue_id":${queueId}}`);
    });
    return new DeferredAnswer(answer);
  }

  @Endpoint(deleteQueue)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { queue_id }: ParametersOf<typeof deleteQueue>,
  ) {
    await this.polling.remove(caller, queue_id);
  }
}
