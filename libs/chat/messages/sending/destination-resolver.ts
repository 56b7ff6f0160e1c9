import { Injectable } from '@nestjs/common';
import { type AccessedChannel, ChannelAccess } from '#chat/channels';
import type { TopicPlace } from '#chat/user-topics';
import { UserAccess } from '#directory/users';
import { ApiError, type Caller, isRowId, quoted } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { messageErrors } from '../messages.errors.js';
import { DestinationRepository, type Recipient } from './destination.repository.js';
import {
  maySendTo,
  type ChannelReference,
  type RecipientReference,
  parseChannel,
  parseRecipients,
  topicFor,
} from './destination.rules.js';
import type { MessagePlace } from './new-message.rules.js';

/** Finds the channel or the people that a message is addressed to. */
@Injectable()
export class DestinationResolver {
  constructor(
    private readonly destinations: DestinationRepository,
    private readonly channelAccess: ChannelAccess,
    private readonly access: UserAccess,
  ) {}

  /**
   * The channel and topic of a message that the caller may send. Rejects with ApiError for an unknown channel, for
   * one that the caller cannot see or send to, and for a topic that the policy of the channel forbids. Also resolves with the
   * name of the channel.
   */
  async resolveChannel(
    caller: Caller,
    to: string,
    topic: string | undefined,
  ): Promise<{ readonly place: TopicPlace; readonly channelName: string }> {
    const accessed = await this.#find(caller, parseChannel(to));
    const hasTopic = (place: TopicPlace) => this.destinations.hasTopic(place);
    const place = await permittedPlace(accessed, topic, hasTopic);
    return { place, channelName: accessed.channel.name };
  }

  /**
   * The same for a message that was stored in the transaction, which holds its channel: a change that the message waited for
   * may have taken the permission away.
   */
  async checkStored(
    transaction: Transaction,
    caller: Caller,
    { channelId, topic }: TopicPlace,
    messageId: number,
  ): Promise<void> {
    const { channelAccess, destinations } = this;
    const accessed = await channelAccess.findWithin(transaction, caller, channelId, 'metadata');
    if (accessed === null) throw channelNotFound({ id: channelId });
    await permittedPlace(accessed, topic, (place) =>
      destinations.hasTopic(place, messageId, transaction),
    );
  }

  async #find(caller: Caller, named: ChannelReference): Promise<AccessedChannel> {
    const accessed = await ('name' in named
      ? this.channelAccess.findNamed(caller, named.name, 'metadata')
      : isRowId(named.id)
        ? this.channelAccess.find(caller, named.id, 'metadata')
        : null);
    if (accessed === null) throw channelNotFound(named);
    return accessed;
  }

  /**
   * The recipients of a direct message. Rejects with ApiError for the first recipient who is unknown, whom the caller
   * cannot see, or who is deactivated.
   */
  async resolvePeople(caller: Caller, to: string): Promise<MessagePlace> {
    const people = parseRecipients(to);
    const found = await this.destinations.people(caller.realm.id, withoutInvalid(people));
    const ids = found.map(({ id }) => id);
    const visible = await this.access.visibleAmong(caller, ids);
    const known = found.filter(({ id, isSystemBot }) => isSystemBot || visible.has(id));
    const recipients = 'ids' in people ? byId(known, people.ids) : byEmail(known, people.emails);
    for (const { email, isActive } of recipients) {
      if (!isActive) throw new ApiError(messageErrors.recipientDeactivated, { email });
    }
    return { userIds: recipients.map(({ id }) => id) };
  }
}

/** The place of a message to a channel. Throws ApiError if the account may not send it there. */
async function permittedPlace(
  { channel, permissions, viewer, topicsPolicy }: AccessedChannel,
  topic: string | undefined,
  hasTopic: (place: TopicPlace) => Promise<boolean>,
): Promise<TopicPlace> {
  const { id, name } = channel;
  if (!maySendTo({ ...channel, ...permissions }, viewer)) {
    throw new ApiError(messageErrors.mayNotSendToChannel, { name });
  }
  const place = { channelId: id, topic: topicFor(topicsPolicy, topic) };
  const mayCreateTopic = viewer.groups.has(permissions.canCreateTopicId);
  if (!mayCreateTopic && !(await hasTopic(place))) {
    throw new ApiError(messageErrors.mayNotCreateTopic, { name });
  }
  return place;
}

const channelNotFound = (named: ChannelReference): ApiError =>
  'id' in named
    ? new ApiError(messageErrors.channelIdDoesNotExist, { id: named.id }, { stream_id: named.id })
    : new ApiError(
        messageErrors.channelNameDoesNotExist,
        { name: named.name },
        { stream: quoted(named.name) },
      );

/** Removes the values that PostgreSQL rejects as parameters. */
const withoutInvalid = (people: RecipientReference): RecipientReference =>
  'ids' in people
    ? { ids: people.ids.filter(isRowId) }
    : { emails: people.emails.filter((email) => !email.includes('\0')) };

function byId(known: readonly Recipient[], ids: readonly number[]): Recipient[] {
  const recipients = new Map(known.map((recipient) => [recipient.id, recipient]));
  return ids.map((id) => recipients.get(id) ?? refuse(messageErrors.invalidRecipientId, { id }));
}

function byEmail(known: readonly Recipient[], emails: readonly string[]): Recipient[] {
  const recipients = new Map(known.map((recipient) => [recipient.email.toLowerCase(), recipient]));
  return emails.map(
    (email) =>
      recipients.get(email.toLowerCase()) ?? refuse(messageErrors.invalidRecipientEmail, { email }),
  );
}

function refuse(...error: ConstructorParameters<typeof ApiError>): never {
  throw new ApiError(...error);
}
