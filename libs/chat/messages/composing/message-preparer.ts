import { Injectable } from '@nestjs/common';
import { AlertWordsService } from '#chat/alert-words';
import type { TopicPlace } from '#chat/user-topics';
import { GroupMembershipRepository } from '#directory/groups';
import type { Mentions } from '#platform/markdown';
import { LinkedFileRepository } from '../reading/linked-file.repository.js';
import { linkedPaths } from '../sending/new-message.rules.js';
import type { RealmAccount } from '#platform/contracts';
import { MentionRepository } from './mention.repository.js';
import { mentionedVia } from './mentions.rules.js';
import type { MessageContent } from './message-composer.js';

/** The accounts and files that the content of a message concerns. */
export interface ContentReferences {
  /** By name or as members of a group. */
  readonly mentionedUserIds: readonly number[];
  /** The group through which it mentions an account, by account; without accounts mentioned by name. */
  readonly mentionedVia: ReadonlyMap<number, number>;
  /** Whether it mentions all subscribers of the channel. */
  readonly mentionsEveryone: boolean;
  /** The participants of the topic, subscribers or not, if it mentions them and not everyone; else empty. */
  readonly mentionedParticipantIds: readonly number[];
  /** The accounts with an alert word in the content, recipients or not. */
  readonly alertedUserIds: readonly number[];
  /** The linked files that the author may share. */
  readonly attachmentIds: readonly number[];
}

/** Looks up the accounts and files that contents of messages concern. */
@Injectable()
export class MessagePreparer {
  constructor(
    private readonly mentions: MentionRepository,
    private readonly files: LinkedFileRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly alertWords: AlertWordsService,
  ) {}

  /**
   * Runs before the transaction: within it, waiting for a second connection could deadlock. `place` is null for a direct
   * message.
   */
  async prepare(
    author: RealmAccount,
    { content, mentions }: MessageContent,
    place: TopicPlace | null,
  ): Promise<ContentReferences> {
    const [members, mentionedParticipantIds, alertedUserIds, attachmentIds] = await Promise.all([
      mentions.groupIds.length === 0 ? [] : this.mentions.membersOf(mentions.groupIds),
      this.#participants(author, mentions, place),
      this.alertWords.alertedBy(author.realmId, content),
      this.#claimable(author, linkedPaths(content)),
    ]);
    return {
      mentionedUserIds: [...new Set([...mentions.userIds, ...members.map(({ userId }) => userId)])],
      mentionedVia: mentionedVia(members, mentions.userIds),
      mentionsEveryone: mentions.isEveryone && place !== null,
      mentionedParticipantIds,
      alertedUserIds,
      attachmentIds,
    };
  }

  /** The participants of the mentioned topic, and the author, whose first message in the topic this may be. */
  async #participants(
    { userId }: RealmAccount,
    { isTopic, isEveryone }: Mentions,
    place: TopicPlace | null,
  ): Promise<number[]> {
    if (!isTopic || isEveryone || place === null) return [];
    return [...new Set([userId, ...(await this.mentions.participantsOf(place))])];
  }

  async #claimable(author: RealmAccount, paths: readonly string[]): Promise<number[]> {
    if (paths.length === 0) return [];
    const groups = await this.membership.groupsOf(author.userId);
    return this.files.claimableBy(author, groups, paths);
  }
}
