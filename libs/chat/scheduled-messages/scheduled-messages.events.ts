import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { type EventAccount, EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import {
  type ScheduledMessage,
  ScheduledMessageRepository,
} from './scheduled-message.repository.js';
import { toScheduledMessageResponse } from './scheduled-messages.response.js';

type Change =
  | { readonly op: 'add'; readonly scheduled_messages: readonly object[] }
  | { readonly op: 'update'; readonly scheduled_message: object }
  | { readonly op: 'remove'; readonly scheduled_message_id: number };

/** The scheduled messages of `POST /register`, and the events of their changes. Only the author gets them. */
@Injectable()
@DeclaresEvents()
export class ScheduledMessageEvents implements CapabilityEvents {
  readonly types = [{ type: 'scheduled_messages' }];
  readonly fetchTypes = ['scheduled_messages'];

  constructor(
    private readonly messages: ScheduledMessageRepository,
    private readonly log: EventLog,
  ) {}

  async readState({ caller, snapshot }: StateRequest) {
    const messages = await this.messages.list(caller.userId, snapshot);
    return { scheduled_messages: messages.map(toScheduledMessageResponse) };
  }

  /** Adds the event of a new message. */
  added(transaction: Transaction, author: EventAccount, message: ScheduledMessage): void {
    const scheduled_messages = [toScheduledMessageResponse(message)];
    this.#append(transaction, author, { op: 'add', scheduled_messages });
  }

  /** Adds the event of a message that was edited or could not be sent. */
  changed(transaction: Transaction, author: EventAccount, message: ScheduledMessage): void {
    const scheduled_message = toScheduledMessageResponse(message);
    this.#append(transaction, author, { op: 'update', scheduled_message });
  }

  /** Adds the event of a message that was deleted or sent. */
  removed(transaction: Transaction, author: EventAccount, id: number): void {
    this.#append(transaction, author, { op: 'remove', scheduled_message_id: id });
  }

  #append(transaction: Transaction, author: EventAccount, body: Change): void {
    this.log.appendOwn(transaction, author, 'scheduled_messages', body);
  }
}
