import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type MessageParts, MessageSender } from '#chat/messages';
import { ApiError, type Caller, limitErrors, requestErrors } from '#platform/contracts';
import { type Backoff, backoffMs, withJitter } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import {
  MAX_SCHEDULED,
  MAX_SCHEDULED_BYTES,
  type ScheduledContent,
  type ScheduledMessage,
  ScheduledMessageRepository,
} from './scheduled-message.repository.js';
import { scheduledMessageErrors } from './scheduled-messages.errors.js';
import { ScheduledMessageEvents } from './scheduled-messages.events.js';

/** A message to schedule. */
interface ScheduleInput extends MessageParts {
  readonly deliverAt: Date;
  readonly client: string;
  readonly isReadBySender: boolean;
}

/** The changes of a scheduled message; missing members stay unchanged. */
interface ScheduledEdit {
  readonly kind: MessageParts['kind'] | undefined;
  /** JSON text. */
  readonly to: string | undefined;
  readonly topic: string | undefined;
  readonly content: string | undefined;
  readonly deliverAt: Date | undefined;
}

/**
 * Several requests may edit a message at once. A lost attempt means that another edit was stored: so many edits that meet all
 * succeed. A request that loses more often is refused.
 */
const MAX_ATTEMPTS = 10;
const BACKOFF: Backoff = { firstMs: 50, maxMs: 400 };
const JITTER = { least: 0, most: 2 };

/** The messages that are sent later. An account reads and changes only its own ones. */
@Injectable()
export class ScheduledMessagesService {
  constructor(
    private readonly messages: ScheduledMessageRepository,
    private readonly events: ScheduledMessageEvents,
    private readonly sender: MessageSender,
    private readonly database: Database,
  ) {}

  /** The caller's messages in the order of their times; without those that were sent. */
  async list(caller: Caller): Promise<ScheduledMessage[]> {
    return this.messages.list(caller.userId);
  }

  /**
   * Resolves with the id of the scheduled message. Rejects with the errors of sending a message, with
   * `deliveryTimeNotInFuture` and with `accountLimitReached`.
   */
  async create(caller: Caller, given: ScheduleInput): Promise<number> {
    await this.#requireFuture(given.deliverAt);
    const content = contentOf(await this.sender.check(caller, given), given.deliverAt);
    const { client, isReadBySender } = given;
    return this.database.transaction(async (transaction) => {
      const message = { ...content, userId: caller.userId, client, isReadBySender };
      const created = await this.messages.create(transaction, message);
      if (created === null) {
        const details = { limit: MAX_SCHEDULED, what: 'scheduled messages' };
        throw new ApiError(limitErrors.accountLimitReached, details);
      }
      await this.#requireBytes(transaction, caller);
      this.events.added(transaction, caller, created);
      return created.id;
    });
  }

  /**
   * Changes a message that was not sent yet; one that could not be sent is scheduled again, and needs a new time. Rejects
   * like `create`, with `scheduledMessageDoesNotExist`, and with `temporarilyUnavailable` if others change it all the time.
   */
  async edit(caller: Caller, id: number, edit: ScheduledEdit): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const current = await this.messages.find(caller.userId, id);
      if (current === null) throw new ApiError(scheduledMessageErrors.scheduledMessageDoesNotExist);
      if (isEmpty(edit)) return;
      const deliverAt = await this.#timeOf(current, edit);
      const checked = await this.sender.check(caller, partsOf(current, edit));
      if (await this.#store(caller, current, contentOf(checked, deliverAt))) return;
      await delay(withJitter(backoffMs(attempt, BACKOFF), JITTER));
    }
    throw new ApiError(requestErrors.temporarilyUnavailable);
  }

  /** Rejects with `scheduledMessageDoesNotExist`. */
  async remove(caller: Caller, id: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await this.messages.delete(transaction, caller.userId, id))) {
        throw new ApiError(scheduledMessageErrors.scheduledMessageDoesNotExist);
      }
      this.events.removed(transaction, caller, id);
    });
  }

  async #timeOf({ deliverAt, hasFailed }: ScheduledMessage, edit: ScheduledEdit): Promise<Date> {
    if (edit.deliverAt !== undefined) await this.#requireFuture(edit.deliverAt);
    else if (hasFailed) throw new ApiError(scheduledMessageErrors.deliveryTimeNotInFuture);
    return edit.deliverAt ?? deliverAt;
  }

  async #requireFuture(time: Date): Promise<void> {
    if (await this.messages.isFuture(time)) return;
    throw new ApiError(scheduledMessageErrors.deliveryTimeNotInFuture);
  }

  /** False if the message was changed, sent or deleted since it was read. */
  async #store(
    caller: Caller,
    current: ScheduledMessage,
    content: ScheduledContent,
  ): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const changed = await this.messages.update(transaction, current, content);
      if (changed === null) return false;
      await this.#requireBytes(transaction, caller);
      this.events.changed(transaction, caller, changed);
      return true;
    });
  }

  async #requireBytes(transaction: Transaction, { userId }: Caller): Promise<void> {
    if (await this.messages.haveBytes(transaction, userId)) return;
    const details = { limit: MAX_SCHEDULED_BYTES, what: 'bytes of scheduled messages' };
    throw new ApiError(limitErrors.accountLimitReached, details);
  }
}

const isEmpty = (edit: ScheduledEdit): boolean =>
  Object.values(edit).every((value) => value === undefined);

/** The message after the edit. Throws ApiError for a new type without its destination. */
function partsOf(current: ScheduledMessage, edit: ScheduledEdit): MessageParts {
  const before = toMessageParts(current);
  const kind = edit.kind ?? before.kind;
  if (kind !== before.kind && edit.to === undefined) {
    throw new ApiError(scheduledMessageErrors.destinationRequired);
  }
  if (kind !== before.kind && kind === 'channel' && edit.topic === undefined) {
    throw new ApiError(scheduledMessageErrors.topicRequiredForChannel);
  }
  return {
    kind,
    to: edit.to ?? before.to,
    topic: edit.topic ?? before.topic,
    content: edit.content ?? before.content,
  };
}

/** A stored message as a request to send it. */
export const toMessageParts = (message: ScheduledMessage): MessageParts => ({
  kind: message.channelId === null ? 'direct' : 'channel',
  to: JSON.stringify(message.channelId ?? message.toIds),
  topic: message.topic,
  content: message.content,
});

const contentOf = (
  { place, content: { content, rendered } }: Awaited<ReturnType<MessageSender['check']>>,
  deliverAt: Date,
): ScheduledContent => ({
  ...('channelId' in place
    ? { channelId: place.channelId, toIds: [], topic: place.topic }
    : { channelId: null, toIds: place.userIds, topic: '' }),
  content,
  rendered,
  deliverAt,
});
