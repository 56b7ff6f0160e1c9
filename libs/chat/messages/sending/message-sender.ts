import { Injectable } from '@nestjs/common';
import type { EventOrigin } from '#events/log';
import { ApiError, type Caller, type RealmAccount } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { IdempotentExecutor, type IdempotentRequest, requestDigest } from '#platform/idempotency';
import type { MessageAddress } from '../message-address.rules.js';
import { messageErrors } from '../messages.errors.js';
import { type MessageContent, MessageComposer } from '../composing/message-composer.js';
import { MessagePreparer } from '../composing/message-preparer.js';
import { MessageAccess } from '../reading/message-access.js';
import type { ComposedMessage } from './composed-message.js';
import { DestinationResolver } from './destination-resolver.js';
import { membersOf, type MessagePlace } from './new-message.rules.js';
import { MessageStore } from './message-store.js';

/** A message that an account sends. */
export interface SendMessageInput {
  readonly kind: 'channel' | 'direct';
  /** A channel or people, as JSON text or as plain text. */
  readonly to: string;
  /** Only for a message to a channel. */
  readonly topic: string | undefined;
  readonly content: string;
  readonly client: string;
  readonly isReadBySender: boolean;
  /** The event queue of the sending client. Not part of the request that an idempotency key identifies. */
  readonly queueId?: string | undefined;
  /** The id that the client gave to the message before it was sent; see `queueId`. */
  readonly localId?: string | undefined;
  /** The idempotency key of the request: a repetition does not send the message again. */
  readonly idempotencyKey?: string | undefined;
  /** Runs in the transaction before the message is stored. If it rejects, nothing is stored. */
  readonly beforeStore?: (transaction: Transaction) => Promise<void>;
}

/** The parts of a message. */
export type MessageParts = Pick<SendMessageInput, 'kind' | 'to' | 'topic' | 'content'>;

/** A message from a bot of the server. */
export interface ServerMessage {
  readonly senderId: number;
  /** The account that caused the message: it decides the organisation, and which accounts can be mentioned. */
  readonly onBehalfOf: Caller;
  readonly place: MessagePlace;
  /** Markdown. */
  readonly content: string;
  /** Whether it causes no push notification. */
  readonly isSilent?: boolean;
  /** The recipient who has read the message, because it tells of a change of that account. */
  readonly readBy?: number;
  /** Whether it is unread only for accounts that follow its topic. */
  readonly isForFollowers?: boolean;
  /** Runs in the transaction before the message is stored. If it rejects, nothing is stored. */
  readonly beforeStore?: (transaction: Transaction) => Promise<void>;
}

/** The name of the client of messages of the server. */
const SERVER_CLIENT = 'Carillon';

/** Sends messages. */
@Injectable()
export class MessageSender {
  constructor(
    private readonly destinations: DestinationResolver,
    private readonly composer: MessageComposer,
    private readonly preparer: MessagePreparer,
    private readonly store: MessageStore,
    private readonly executor: IdempotentExecutor,
    private readonly access: MessageAccess,
  ) {}

  /**
   * Resolves with the message's address. Rejects with ApiError for an invalid message, for a destination that the caller
   * cannot send to, and with `idempotencyKeyReused` where another message was sent under the key.
   */
  async send(caller: Caller, input: SendMessageInput): Promise<MessageAddress> {
    const { client, isReadBySender, beforeStore } = input;
    const request = requestOf(caller, input);
    const sent = await this.executor.findResult<number>(request);
    if (sent !== null) return this.#addressFor(caller, sent);
    const { place, channelName, content } = await this.check(caller, input);
    const author = { userId: caller.userId, realmId: caller.realm.id };
    const message = await this.#compose(author, place, content, { client, isReadBySender });
    const origin = originOf(input);
    const id = await this.store.store(message, { request, beforeStore, origin, caller });
    if (!('channelId' in place)) {
      const people = membersOf(caller.userId, place.userIds).map((userId) => ({ id: userId }));
      return { id, channel: null, topic: '', people };
    }
    const channel = { id: place.channelId, name: channelName ?? '' };
    return { id, channel, topic: place.topic, people: null };
  }

  /** The id alone of a message that is deleted, or that has come to a place where its sender cannot read it. */
  async #addressFor(caller: Caller, id: number): Promise<MessageAddress> {
    const readable = await this.access.find(caller, id);
    return readable ?? { id, channel: null, topic: '', people: null };
  }

  /** Finds the destination of a message and renders its content. Rejects with ApiError like `send`. */
  async check(
    caller: Caller,
    { kind, to, topic, content: source }: MessageParts,
  ): Promise<{
    readonly place: MessagePlace;
    /** Null for a direct message. */
    readonly channelName: string | null;
    readonly content: MessageContent;
  }> {
    if (source.trim() === '') throw new ApiError(messageErrors.emptyMessage);
    const { place, channelName } =
      kind === 'channel'
        ? await this.destinations.resolveChannel(caller, to, topic)
        : { place: await this.destinations.resolvePeople(caller, to), channelName: null };
    const content = await this.composer.compose(caller, source);
    await this.composer.checkMentions(caller, content.mentions);
    return { place, channelName, content };
  }

  /**
   * Sends a message without checking the permissions of its sender. Resolves with the message's id. Rejects with
   * `channelIdDoesNotExist` for an unknown or archived channel.
   */
  async sendAsServer({
    senderId,
    onBehalfOf,
    place,
    content,
    beforeStore,
    ...more
  }: ServerMessage): Promise<number> {
    const author = { userId: senderId, realmId: onBehalfOf.realm.id };
    const rendered = await this.composer.compose(onBehalfOf, content);
    const delivery = { client: SERVER_CLIENT, isReadBySender: true, ...more };
    const message = await this.#compose(author, place, rendered, delivery);
    return this.store.store(message, { beforeStore });
  }

  async #compose(
    author: RealmAccount,
    place: MessagePlace,
    content: MessageContent,
    delivery: Pick<ComposedMessage, 'client' | 'isReadBySender'> &
      Pick<ServerMessage, 'isSilent' | 'readBy' | 'isForFollowers'>,
  ): Promise<ComposedMessage> {
    const inChannel = 'channelId' in place ? place : null;
    return {
      realmId: author.realmId,
      senderId: author.userId,
      place,
      content: content.content,
      rendered: content.rendered,
      topicLinks: inChannel === null ? [] : content.topicLinks(inChannel.topic),
      client: delivery.client,
      isReadBySender: delivery.isReadBySender,
      isSilent: delivery.isSilent ?? false,
      readBy: delivery.readBy ?? null,
      isForFollowers: delivery.isForFollowers ?? false,
      ...(await this.preparer.prepare(author, content, inChannel)),
    };
  }
}

const originOf = ({ queueId, localId }: SendMessageInput): EventOrigin | null =>
  queueId === undefined || localId === undefined ? null : { queueId, localId };

/** Only the message itself: the version, the queue and the local id of a client may change before it repeats. */
function requestOf(
  { userId }: Caller,
  { idempotencyKey: key, kind, to, topic, content, isReadBySender }: SendMessageInput,
): IdempotentRequest | null {
  if (key === undefined) return null;
  const message = { kind, to, topic, content, isReadBySender };
  return { userId, key, digest: requestDigest('POST /messages', message) };
}
