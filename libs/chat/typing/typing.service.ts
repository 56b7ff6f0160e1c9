import { Injectable } from '@nestjs/common';
import { ChannelAccess, storedTopic } from '#chat/channels';
import { DestinationResolver, MessageAccess, messageErrors } from '#chat/messages';
import { VisibleUsersRepository } from '#directory/guest-access';
import { ApiError, type Caller, isRowId, parameterErrors } from '#platform/contracts';
import { typingErrors } from './typing.errors.js';
import { TypingEvents, type TypingOperation, type TypingPlace } from './typing.events.js';
import { type TypingReader, TypistRepository } from './typist.repository.js';

/** Typing in a larger channel or conversation causes no event, which would wake the polls of all its readers. */
const MAX_READERS = 100;

/** The place of a message that is being written, as a client names it. */
interface TypingInput {
  readonly kind: 'direct' | 'channel';
  readonly to: readonly number[] | undefined;
  readonly channelId: number | undefined;
  readonly topic: string | undefined;
}

/** A place with the accounts that get the event. */
interface PlaceWithReaders {
  readonly place: TypingPlace;
  readonly readers: readonly TypingReader[];
}

/** Publishes to others that an account is typing. */
@Injectable()
export class TypingService {
  constructor(
    private readonly destinations: DestinationResolver,
    private readonly channelAccess: ChannelAccess,
    private readonly messageAccess: MessageAccess,
    private readonly visibleUsers: VisibleUsersRepository,
    private readonly typists: TypistRepository,
    private readonly events: TypingEvents,
  ) {}

  /** Rejects with the errors of the endpoint `POST /typing`. */
  async type(caller: Caller, op: TypingOperation, input: TypingInput): Promise<void> {
    const { email } = await this.#typist(caller, input.kind === 'direct');
    const { place, readers } = await this.#placeOf(caller, input);
    const userIds = await this.#audienceOf(caller, place, readers);
    this.events.typing(senderOf(caller, email), op, place, userIds);
  }

  /** Rejects with the errors of the endpoint `POST /messages/{message_id}/typing`. */
  async edit(caller: Caller, op: TypingOperation, messageId: number): Promise<void> {
    const message = await this.messageAccess.require(caller, messageId);
    if (message.senderId !== caller.userId) throw new ApiError(messageErrors.mayNotEdit);
    const { channel, people, topic } = message;
    const { email } = await this.#typist(caller, channel === null);
    const { place, readers } =
      channel === null
        ? await this.#conversation((people ?? []).map(({ id }) => id))
        : await this.#channel(channel.id, topic, messageId);
    const userIds = await this.#audienceOf(caller, place, readers);
    this.events.editing(senderOf(caller, email), { op, messageId }, place, userIds);
  }

  async #typist(caller: Caller, isDirect: boolean): Promise<{ readonly email: string }> {
    const typist = await this.typists.typist(caller.userId);
    if (isDirect && !typist.sendsDirect) throw new ApiError(typingErrors.directTypingDisabled);
    if (!isDirect && !typist.sendsInChannels) {
      throw new ApiError(typingErrors.channelTypingDisabled);
    }
    return typist;
  }

  async #placeOf(
    caller: Caller,
    { kind, to, channelId, topic }: TypingInput,
  ): Promise<PlaceWithReaders> {
    if (kind === 'direct') {
      if (to === undefined) throw missing('to');
      if (to.length === 0) throw new ApiError(typingErrors.emptyTypingRecipients);
      const found = await this.destinations.resolvePeople(caller, JSON.stringify(to));
      const others = 'userIds' in found ? found.userIds : [];
      return this.#conversation([caller.userId, ...others]);
    }
    if (channelId === undefined) throw missing('stream_id');
    if (topic === undefined) throw new ApiError(typingErrors.typingTopicMissing);
    const id = isRowId(channelId) ? channelId : 0;
    await this.channelAccess.require(caller, id, 'content');
    return this.#channel(id, storedTopic(topic.trim()));
  }

  async #conversation(userIds: readonly number[]): Promise<PlaceWithReaders> {
    const people = await this.typists.people([...new Set(userIds)]);
    return { place: { people }, readers: people.length > MAX_READERS ? [] : people };
  }

  async #channel(
    channelId: number,
    topic: string,
    messageId: number | null = null,
  ): Promise<PlaceWithReaders> {
    const subscribers = await this.typists.subscribers(channelId, MAX_READERS + 1, messageId);
    const readers = subscribers.length > MAX_READERS ? [] : subscribers;
    return { place: { channelId, topic }, readers };
  }

  /** The readers that want the event. Guests that cannot see an account that it names do not get it. */
  async #audienceOf(
    { userId }: Caller,
    place: TypingPlace,
    readers: readonly TypingReader[],
  ): Promise<number[]> {
    const wanting = readers.filter(({ wantsEvent }) => wantsEvent);
    const namedIds = 'people' in place ? place.people.map(({ id }) => id) : [userId];
    const pairs = wanting
      .filter(({ isGuest }) => isGuest)
      .flatMap(({ id: viewerId }) => namedIds.map((otherId) => ({ viewerId, otherId })))
      .filter(({ viewerId, otherId }) => viewerId !== otherId);
    const hidden = pairs.length === 0 ? [] : await this.visibleUsers.hiddenAmong(pairs);
    const excluded = new Set(hidden.map(({ viewerId }) => viewerId));
    return wanting.map(({ id }) => id).filter((id) => !excluded.has(id));
  }
}

const senderOf = ({ userId, realm }: Caller, email: string) => ({
  userId,
  realmId: realm.id,
  email,
});

const missing = (name: string): ApiError =>
  new ApiError(parameterErrors.missingParameter, { name }, { var_name: name });
