import { Injectable } from '@nestjs/common';
import type { EventOrigin } from '#events/log';
import { ApiError } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { IdempotentExecutor, type IdempotentRequest } from '#platform/idempotency';
import type { Author } from '../composing/mention.repository.js';
import { messageErrors } from '../messages.errors.js';
import type { ComposedMessage } from '../composing/message-composer.js';
import { MessagePreparer } from '../composing/message-preparer.js';
import { SubmessageRepository } from '../submessages/submessage.repository.js';
import { widgetContent } from '../submessages/widget.rules.js';
import { MessagePublisher, type StoredForPublication } from './message-publisher.js';
import type { MessagePlace } from './new-message.rules.js';
import { NewMessageRepository, type PreparedMessage } from './new-message.repository.js';

/** A composed message to store. */
interface OutgoingMessage {
  readonly author: Author;
  readonly place: MessagePlace;
  readonly composed: ComposedMessage;
  /** The name of the client; empty when unknown. */
  readonly client: string;
  readonly isReadBySender: boolean;
  /** Whether it causes no push notification. */
  readonly isSilent?: boolean | undefined;
  /** A recipient who has read it. */
  readonly readBy?: number;
  /** Whether it is unread only for accounts that follow its topic. */
  readonly isForFollowers?: boolean;
  /** The client that is waiting for the event of the message. */
  readonly origin?: EventOrigin | null;
  /** The idempotent request, if any: a repetition stores no second message. */
  readonly request?: IdempotentRequest | null;
  /** Runs in the transaction before the message is stored. If it rejects, nothing is stored. */
  readonly beforeStore?: ((transaction: Transaction) => Promise<void>) | undefined;
  /** Runs in the transaction when the message was stored under the lock of its place. If it rejects, nothing is stored. */
  readonly afterStore?: (transaction: Transaction, messageId: number) => Promise<void>;
}

/** Stores composed messages for their recipients, together with the events and notifications. */
@Injectable()
export class MessageStore {
  constructor(
    private readonly messages: NewMessageRepository,
    private readonly preparer: MessagePreparer,
    private readonly executor: IdempotentExecutor,
    private readonly publisher: MessagePublisher,
    private readonly submessages: SubmessageRepository,
  ) {}

  /**
   * Stores a composed message with its event and notifications: a bounded number of statements for any number of recipients.
   * Resolves with the message's id. Rejects with `channelIdDoesNotExist` for an unknown or archived channel.
   */
  async store(outgoing: OutgoingMessage): Promise<number> {
    const { author, place, composed, isSilent = false, origin = null, request = null } = outgoing;
    const { content, rendered, topicLinks } = composed;
    const inChannel = 'channelId' in place ? place : null;
    const prepared = await this.preparer.prepare(author, composed, inChannel);
    const message = {
      realmId: author.realmId,
      senderId: author.userId,
      place,
      content,
      rendered,
      client: outgoing.client,
      isReadBySender: outgoing.isReadBySender,
      isSilent,
      readBy: outgoing.readBy ?? null,
      isForFollowers: outgoing.isForFollowers ?? false,
      ...prepared,
    };
    const groups = isSilent ? null : prepared.mentionedVia;
    return this.executor.run(request, async (transaction) => {
      await outgoing.beforeStore?.(transaction);
      const links = inChannel === null ? [] : topicLinks(inChannel.topic);
      const publication = { mentionedVia: groups, origin, topicLinks: links };
      const id = await this.#store(transaction, message, publication);
      await outgoing.afterStore?.(transaction, id);
      return id;
    });
  }

  async #store(
    transaction: Transaction,
    message: PreparedMessage,
    publication: Pick<StoredForPublication, 'mentionedVia' | 'origin' | 'topicLinks'>,
  ): Promise<number> {
    const { senderId, place, attachmentIds } = message;
    const id = await this.messages.insert(transaction, message);
    if (id === null) throw placeGone(place);
    const widget = widgetContent(message.content);
    if (widget !== null) {
      const submessage = { messageId: id, senderId, type: 'widget', content: widget };
      await this.submessages.add(transaction, submessage);
    }
    const channelId = 'channelId' in place ? place.channelId : null;
    const stored = { id, senderId, channelId, attachmentIds };
    await this.publisher.publish(transaction, { ...stored, ...publication });
    return id;
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
