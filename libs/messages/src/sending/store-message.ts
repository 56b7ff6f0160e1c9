import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '#contracts';
import type { Session } from '#database';
import { type Done, type KeyedRequest, Once } from '#idempotency';
import { GroupMembershipRepository } from '#user-groups';
import type { ComposedMessage } from '../composing/compose-message.js';
import { callingGroups } from '../composing/mentions.rules.js';
import {
  MESSAGE_NOTIFIER,
  type MessageNotifier,
  type NewMessage,
} from '../notify/message-notifier.js';
import { DeliveryRepository, type PreparedMessage } from './delivery.repository.js';
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
  /** Nobody's phone is told of it. */
  readonly isSilent?: boolean | undefined;
  /** The request that it is sent for, where it has a name; repeated, it sends nothing more. */
  readonly request?: KeyedRequest | null;
}

/**
 * Puts a composed message where it goes, together with the notifications of it: a bounded number of
 * statements, however many receive it.
 */
@Injectable()
export class StoreMessage {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly mentions: MentionRepository,
    private readonly files: LinkedFileRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly once: Once,
    @Inject(MESSAGE_NOTIFIER) private readonly notifier: MessageNotifier,
  ) {}

  /** Resolves with the message's id. Rejects with `channelIdDoesNotExist` where the channel is gone. */
  async execute(outgoing: OutgoingMessage): Promise<number> {
    const { author, place, composed, isSilent = false, request = null } = outgoing;
    const { content, rendered, called } = composed;
    // All that is looked up comes first: in the transaction, no second connection is waited for.
    const [members, attachmentIds] = await Promise.all([
      called.groupIds.length === 0 ? [] : this.mentions.membersOf(called.groupIds),
      this.#claimable(author, linkedPaths(content)),
    ]);
    const message = {
      realmId: author.realmId,
      senderId: author.userId,
      place,
      content,
      rendered,
      client: outgoing.client,
      isReadBySender: outgoing.isReadBySender,
      mentionedUserIds: [...new Set([...called.userIds, ...members.map(({ userId }) => userId)])],
      callsEveryone: called.isEveryone && 'channelId' in place,
      attachmentIds,
    };
    return this.once.execute(request, (session) =>
      this.#store(session, message, isSilent ? null : callingGroups(members, called.userIds)),
    );
  }

  /** Without calling groups it is silent. */
  async #store(
    session: Session,
    message: PreparedMessage,
    groups: NewMessage['callingGroups'] | null,
  ): Promise<Done<number>> {
    const { senderId, place } = message;
    const id = await this.deliveries.deliver(session, message);
    if (id === null) throw placeGone(place);
    await this.deliveries.readForMuters(session, senderId, id);
    const channelId = 'channelId' in place ? place.channelId : null;
    if (groups === null) return { answer: id };
    const stored = { id, senderId, channelId, callingGroups: groups };
    return { answer: id, afterCommit: await this.notifier.stored(session, stored) };
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
