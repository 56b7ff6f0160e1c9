import { Injectable } from '@nestjs/common';
import { AlertWordsService } from '#chat/alert-words';
import { GroupMembershipRepository } from '#directory/groups';
import { LinkedFileRepository } from '../reading/linked-file.repository.js';
import { linkedPaths } from '../sending/new-message.rules.js';
import { type Author, MentionRepository } from './mention.repository.js';
import { mentionedVia } from './mentions.rules.js';
import type { ComposedMessage } from './message-composer.js';

/** The accounts and files that the content of a message concerns. */
export interface PreparedContent {
  /** By name or as members of a group. */
  readonly mentionedUserIds: readonly number[];
  /** The group through which it mentions an account, by account; without accounts mentioned by name. */
  readonly mentionedVia: ReadonlyMap<number, number>;
  /** The accounts with an alert word in the content, recipients or not. */
  readonly alertedUserIds: readonly number[];
  /** The linked files that the author may share. */
  readonly attachmentIds: readonly number[];
}

/** Looks up the accounts and files of composed messages. */
@Injectable()
export class MessagePreparer {
  constructor(
    private readonly mentions: MentionRepository,
    private readonly files: LinkedFileRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly alertWords: AlertWordsService,
  ) {}

  /** Runs before the transaction: within it, waiting for a second connection could deadlock. */
  async prepare(author: Author, { content, mentions }: ComposedMessage): Promise<PreparedContent> {
    const [members, alertedUserIds, attachmentIds] = await Promise.all([
      mentions.groupIds.length === 0 ? [] : this.mentions.membersOf(mentions.groupIds),
      this.alertWords.alertedBy(author.realmId, content),
      this.#claimable(author, linkedPaths(content)),
    ]);
    return {
      mentionedUserIds: [...new Set([...mentions.userIds, ...members.map(({ userId }) => userId)])],
      mentionedVia: mentionedVia(members, mentions.userIds),
      alertedUserIds,
      attachmentIds,
    };
  }

  async #claimable(author: Author, paths: readonly string[]): Promise<number[]> {
    if (paths.length === 0) return [];
    const groups = await this.membership.groupsOf(author.userId);
    return this.files.claimableBy(author, groups, paths);
  }
}
