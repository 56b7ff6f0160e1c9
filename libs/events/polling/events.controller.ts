import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import {
  Closed,
  DeferredAnswer,
  Endpoint,
  JsonText,
  type OnClosed,
  Parameters,
  type ParametersOf,
  SignedIn,
} from '#platform/http';
import { deleteQueue, getEvents } from './polling.schema.js';
import { PollingService } from './polling.service.js';

@Controller()
export class EventsController {
  constructor(private readonly polling: PollingService) {}

  @Endpoint(getEvents)
  get(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof getEvents>,
    @Closed() onClosed: OnClosed,
  ) {
    return new DeferredAnswer(this.answer(caller, parameters, onClosed));
  }

  /** The fields of the answer to a poll. Rejects like `PollingService.poll`. */
  async answer(
    caller: Caller,
    { queue_id, last_event_id, dont_block }: ParametersOf<typeof getEvents>,
    onClosed: OnClosed,
  ): Promise<JsonText> {
    const poll = { queueId: queue_id, lastEventId: last_event_id, isImmediate: dont_block };
    const events = await this.polling.poll(caller, poll, onClosed);
    return new JsonText(`{"events":[${events.join(',')}],"queue_id":${JSON.stringify(queue_id)}}`);
  }

  @Endpoint(deleteQueue)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { queue_id }: ParametersOf<typeof deleteQueue>,
  ) {
    await this.polling.remove(caller, queue_id);
  }
}
