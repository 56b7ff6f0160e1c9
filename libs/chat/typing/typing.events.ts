import { Injectable } from '@nestjs/common';
import { shownTopic } from '#chat/channels';
import { EphemeralEventPublisher } from '#events/ephemeral';
import {
  type DeclaredTypes,
  DeclaresEvents,
  type EventReader,
  isCapable,
  type QueueOptions,
} from '#events/declarations';
import type { TypingReader } from './typist.repository.js';

export type TypingOperation = 'start' | 'stop';

/** The account that is typing. */
interface TypingSender {
  readonly userId: number;
  readonly realmId: number;
  readonly email: string;
}

/** The place of a message that is being written or edited. */
export type TypingPlace =
  | { readonly people: readonly TypingReader[] }
  | { readonly channelId: number; readonly topic: string };

type Body = Readonly<Record<string, unknown>>;

/** The topic in the form of a queue. */
function withShownTopic(body: Body, options: QueueOptions): object {
  const { topic } = body;
  return typeof topic === 'string'
    ? { ...body, topic: shownTopic(topic, isCapable(options, 'empty_topic_name')) }
    : body;
}

const typingType = {
  type: 'typing',
  isFor: ({ message_type: type }: Body, { options }: EventReader) =>
    type === 'direct' || isCapable(options, 'stream_typing_notifications'),
  formsOf: (body: Body, options: QueueOptions) => [withShownTopic(body, options)],
};

const editTypingType = {
  type: 'typing_edit_message',
  formsOf: ({ recipient, ...body }: Body, options: QueueOptions) => [
    // All bodies of this type are written by `editing`.
    { ...body, recipient: withShownTopic(recipient as Body, options) },
  ],
};

/** The events of typing. They are ephemeral: `POST /register` has no state of typing. */
@Injectable()
@DeclaresEvents()
export class TypingEvents implements DeclaredTypes {
  readonly types = [typingType, editTypingType];

  constructor(private readonly publisher: EphemeralEventPublisher) {}

  /** Publishes that an account is typing a new message. */
  typing(
    { userId, realmId, email }: TypingSender,
    op: TypingOperation,
    place: TypingPlace,
    userIds: readonly number[],
  ): void {
    const sender = { user_id: userId, email };
    const where =
      'people' in place
        ? {
            message_type: 'direct',
            recipients: place.people.map((person) => ({ user_id: person.id, email: person.email })),
          }
        : { message_type: 'stream', stream_id: place.channelId, topic: place.topic };
    const body = { op, sender, ...where };
    this.publisher.publish({ realmId, type: typingType.type, body, userIds });
  }

  /** Publishes that an account is editing a message. */
  editing(
    { userId, realmId }: TypingSender,
    { op, messageId }: { readonly op: TypingOperation; readonly messageId: number },
    place: TypingPlace,
    userIds: readonly number[],
  ): void {
    const recipient =
      'people' in place
        ? { type: 'direct', user_ids: place.people.map(({ id }) => id) }
        : { type: 'channel', channel_id: place.channelId, topic: place.topic };
    const body = { op, sender_id: userId, message_id: messageId, recipient };
    this.publisher.publish({ realmId, type: editTypingType.type, body, userIds });
  }
}
