import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { parseJsonOrUndefined } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import { LockedMessages } from '../changing/locked-messages.js';
import { messageErrors } from '../messages.errors.js';
import { SubmessageEvents } from './submessages.events.js';
import { SubmessageRepository } from './submessage.repository.js';
import { checkData, typeOf, widgetTypeOf } from './widget.rules.js';

/** Each answer with a message has all of them. */
const MAX_SUBMESSAGES = 1000;
const MAX_BYTES = 300_000;

/** Data for the widget of a message. */
interface SubmessageInput {
  readonly messageId: number;
  readonly type: string;
  /** JSON. */
  readonly content: string;
}

/** Adds data to the widgets in messages. */
@Injectable()
export class SubmessagesService {
  constructor(
    private readonly database: Database,
    private readonly messages: LockedMessages,
    private readonly submessages: SubmessageRepository,
    private readonly events: SubmessageEvents,
  ) {}

  /** Rejects with `invalidMessage` and the errors of the endpoint. */
  async add(caller: Caller, input: SubmessageInput): Promise<void> {
    await this.database.transaction((transaction) => this.#add(transaction, caller, input));
  }

  async #add(
    transaction: Transaction,
    caller: Caller,
    { messageId, type, content }: SubmessageInput,
  ): Promise<void> {
    const message = await this.messages.lock(transaction, caller, messageId);
    const { count, bytes, first } = await this.submessages.state(transaction, messageId);
    const widget = widgetTypeOf(first);
    if (widget === null) throw new ApiError(messageErrors.notAWidget);
    const data = parseJsonOrUndefined(content);
    if (data === undefined) throw new ApiError(messageErrors.submessageNotJson);
    const check = checkData(widget, data, message.senderId === caller.userId);
    if (check === 'unknown type') {
      throw new ApiError(messageErrors.unknownWidgetData, { widget, type: typeOf(data) ?? '' });
    }
    if (check === 'invalid') throw new ApiError(messageErrors.invalidWidgetData, { widget });
    if (check === 'only the author') throw new ApiError(messageErrors.notAuthorOfWidget);
    if (count >= MAX_SUBMESSAGES) {
      throw new ApiError(messageErrors.tooManySubmessages, { limit: MAX_SUBMESSAGES });
    }
    if (bytes + Buffer.byteLength(JSON.stringify(content)) > MAX_BYTES) {
      throw new ApiError(messageErrors.submessagesTooLarge, { limit: MAX_BYTES });
    }
    const added = { messageId, senderId: caller.userId, type, content };
    const id = await this.submessages.add(transaction, added);
    await this.events.added(transaction, caller.realm.id, { ...added, id });
  }
}
