import { Injectable } from '@nestjs/common';
import { AccessChannel, type AccessedChannel } from '#channels';
import { ApiError, type Caller, isRowId } from '#contracts';
import { DestinationRepository } from './destination.repository.js';
import { type NamedChannel, readChannel } from './destination.rules.js';
import type { MessagePlace } from './message-place.rules.js';
import { maySendTo, topicFor } from './posting.rules.js';

/** Finds the channel and the topic that a message is for, where its sender may send there. */
@Injectable()
export class AddressChannel {
  constructor(
    private readonly destinations: DestinationRepository,
    private readonly accessChannel: AccessChannel,
  ) {}

  /**
   * Rejects with ApiError: a channel that there is none of or that the sender may not know of does not
   * exist, one that they know of may not be theirs to send to, and its policy may refuse the topic.
   */
  async execute(caller: Caller, to: string, topic: string | undefined): Promise<MessagePlace> {
    const { channel, permissions, viewer } = await this.#find(caller, readChannel(to));
    const { id, name } = channel;
    if (!maySendTo({ ...channel, ...permissions }, viewer)) {
      throw new ApiError('mayNotSendToChannel', { name });
    }
    const place = { channelId: id, topic: topicFor(channel, topic) };
    const mayCreateTopic = viewer.groups.has(permissions.canCreateTopicId);
    if (!mayCreateTopic && !(await this.destinations.hasTopic(id, place.topic))) {
      throw new ApiError('mayNotCreateTopic', { name });
    }
    return place;
  }

  async #find(caller: Caller, named: NamedChannel): Promise<AccessedChannel> {
    const id =
      'id' in named
        ? named.id
        : await this.destinations.channelNamed(caller.realm.id, named.name.replaceAll('\0', ''));
    const accessed =
      id !== null && isRowId(id) ? await this.accessChannel.find(caller, id, 'metadata') : null;
    if (accessed === null) throw notThere(named);
    return accessed;
  }
}

const notThere = (named: NamedChannel): ApiError =>
  'id' in named
    ? new ApiError('channelIdDoesNotExist', { id: named.id }, { stream_id: named.id })
    : new ApiError('channelNameDoesNotExist', { name: named.name }, { stream: named.name });
