import { Injectable } from '@nestjs/common';
import type { EventOrigin } from '#events/log';
import { ApiError, type Caller, signInErrors } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { IdempotentExecutor, type IdempotentRequest } from '#platform/idempotency';
import { messageErrors } from '../messages.errors.js';
import { SubmessageRepository } from '../submessages/submessage.repository.js';
import { widgetContent } from '../submessages/widget.rules.js';
import type { ComposedMessage } from './composed-message.js';
import { DestinationResolver } from './destination-resolver.js';
import { MessagePublisher } from './message-publisher.js';
import { NewMessageRepository } from './new-message.repository.js';
import type { MessagePlace } from './new-message.rules.js';

/** The circumstances of storing a message. */
interface Sending {
  /** The idempotent request, if any: a repetition stores no second message. */
  readonly request?: IdempotentRequest | null;
  /** Runs in the transaction before the message is stored. If it rejects, nothing is stored. */
  readonly beforeStore?: ((transaction: Transaction) => Promise<void>) | undefined;
  /** The client that is waiting for the event of the message. */
  readonly origin?: EventOrigin | null;
  /** The sender whose permission is checked; a bot of the server needs none. */
  readonly caller?: Caller;
}

/** Stores composed messages for their recipients, together with the events and notifications. */
@Injectable()
export class MessageStore {
  constructor(
    private readonly executor: IdempotentExecutor,
    private readonly messages: NewMessageRepository,
    private readonly submessages: SubmessageRepository,
    private readonly publisher: MessagePublisher,
    private readonly destinations: DestinationResolver,
  ) {}

  /**
   * Stores a message in one transaction: a bounded number of statements for any number of recipients. Resolves with its id.
   * Rejects with `channelIdDoesNotExist` for an unknown or archived channel, and with `accountDeactivated` for a sender who
   * was deactivated while the message waited for its place.
   */
  async store(message: ComposedMessage, sending: Sending = {}): Promise<number> {
    const { request = null, beforeStore, origin = null, caller } = sending;
    const { senderId, place } = message;
    return this.executor.run(request, async (transaction) => {
      await beforeStore?.(transaction);
      const id = await this.messages.insert(transaction, message);
      if (id === null) throw placeGone(place);
      await this.#addWidget(transaction, id, message);
      const queueId = origin?.queueId ?? null;
      const stored = await this.messages.record(transaction, id, senderId, queueId);
      if (!stored.isSenderActive) throw new ApiError(signInErrors.accountDeactivated);
      await this.publisher.publish(transaction, message, stored, origin);
      if (!message.isSilent) await this.publisher.notify(transaction, message, stored);
      if (caller && 'channelId' in place) {
        await this.destinations.checkStored(transaction, caller, place, id);
      }
      return id;
    });
  }

  async #addWidget(
    transaction: Transaction,
    messageId: number,
    { senderId, content }: ComposedMessage,
  ): Promise<void> {
    const widget = widgetContent(content);
    if (widget === null) return;
    const submessage = { messageId, senderId, type: 'widget', content: widget };
    await this.submessages.add(transaction, submessage);
  }
}

function placeGone(place: MessagePlace): Error {
  if (!('channelId' in place)) return new Error('The conversation was neither found nor created');
  const { channelId } = place;
  return new ApiError(
    messageErrors.channelIdDoesNotExist,
    { id: channelId },
    { stream_id: channelId },
  );
}
