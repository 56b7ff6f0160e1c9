import { Controller, Headers } from '@nestjs/common';
import { clientName } from '#chat/messages';
import { destinationKindOf } from '#chat/messages/endpoints';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { toScheduledMessageResponse } from './scheduled-messages.response.js';
import {
  createScheduledMessage,
  deleteScheduledMessage,
  editScheduledMessage,
  listScheduledMessages,
} from './scheduled-messages.schema.js';
import { ScheduledMessagesService } from './scheduled-messages.service.js';

@Controller()
export class ScheduledMessagesController {
  constructor(private readonly messages: ScheduledMessagesService) {}

  @Endpoint(listScheduledMessages)
  async list(@SignedIn() caller: Caller) {
    const messages = await this.messages.list(caller);
    return { scheduled_messages: messages.map(toScheduledMessageResponse) };
  }

  @Endpoint(createScheduledMessage)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() given: ParametersOf<typeof createScheduledMessage>,
    @Headers('user-agent') userAgent: string | undefined,
  ) {
    const id = await this.messages.create(caller, {
      kind: destinationKindOf(given.type),
      to: JSON.stringify(given.to),
      topic: given.topic,
      content: given.content,
      deliverAt: timeOf(given.scheduled_delivery_timestamp),
      client: clientName(userAgent),
      isReadBySender: given.read_by_sender,
    });
    return { scheduled_message_id: id };
  }

  @Endpoint(editScheduledMessage)
  async edit(
    @SignedIn() caller: Caller,
    @Parameters() given: ParametersOf<typeof editScheduledMessage>,
  ) {
    const { type, to, topic, content, scheduled_delivery_timestamp: seconds } = given;
    await this.messages.edit(caller, given.scheduled_message_id, {
      kind: type === undefined ? undefined : destinationKindOf(type),
      to: to === undefined ? undefined : JSON.stringify(to),
      topic,
      content,
      deliverAt: seconds === undefined ? undefined : timeOf(seconds),
    });
  }

  @Endpoint(deleteScheduledMessage)
  async delete(
    @SignedIn() caller: Caller,
    @Parameters() { scheduled_message_id }: ParametersOf<typeof deleteScheduledMessage>,
  ) {
    await this.messages.remove(caller, scheduled_message_id);
  }
}

const timeOf = (seconds: number): Date => new Date(seconds * 1000);
