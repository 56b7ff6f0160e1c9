import { Injectable } from '@nestjs/common';
import { ApiError } from '#contracts';
import { GroupMembershipRepository } from '#user-groups';
import type { ComposedMessage } from '../composing/compose-message.js';
import { DeliveryRepository } from './delivery.repository.js';
import { linkedPaths } from './file-links.rules.js';
import { LinkedFileRepository } from '../reading/linked-file.repository.js';
import { type Author, MentionRepository } from '../composing/mention.repository.js';
import type { MessagePlace } from './message-place.rules.js';

/** A composed message on its way. */
export interface OutgoingMessage {
  readonly author: Author;
  readonly place: MessagePlace;
  readonly composed: ComposedMessage;
  /** The name of the program that it is sent with; empty when it is not known. */
  readonly client: string;
  readonly isReadBySender: boolean;
}

/** Puts a composed message where it goes: a bounded number of statements, however many receive it. */
@Injectable()
export class StoreMessage {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly mentions: MentionRepository,
    private readonly files: LinkedFileRepository,
    private readonly membership: GroupMembershipRepository,
  ) {}

  /** Resolves with the message's id. Rejects with `channelIdDoesNotExist` where the channel is gone. */
  async execute({ author, place, composed, ...message }: OutgoingMessage): Promise<number> {
    const { content, rendered, called } = composed;
    const [members, attachmentIds] = await Promise.all([
      called.groupIds.length === 0 ? [] : this.mentions.membersOf(called.groupIds),
      this.#claimable(author, linkedPaths(content)),
    ]);
    const id = await this.deliveries.deliver({
      ...message,
      realmId: author.realmId,
      senderId: author.userId,
      place,
      content,
      rendered,
      mentionedUserIds: [...new Set([...called.userIds, ...members])],
      callsEveryone: called.isEveryone && 'channelId' in place,
      attachmentIds,
    });
    if (id === null) throw placeGone(place);
    return id;
  }

  async #claimable(author: Author, paths: readonly string[]): Promise<number[]> {
    if (paths.length === 0) return [];
    const groups = await this.membership.groupsOf(author.userId);
    return this.files.claimableBy(author, groups, paths);
  }
}

function placeGone(place: MessagePlace): Error {
  if (!('channelId' in place)) return new Error('A conversation is made when it is not there');
  const { channelId } = place;
  return new ApiError('channelIdDoesNotExist', { id: channelId }, { stream_id: channelId });
}
