import { Injectable } from '@nestjs/common';
import type { Session } from '#platform/database';
import { MentionRepository } from './mention.repository.js';
import { largestFirst, viaSmallest } from './mentions.rules.js';

/** Finds the groups through which stored messages mention accounts. */
@Injectable()
export class GroupMentions {
  constructor(private readonly mentions: MentionRepository) {}

  /**
   * By message, the group through which it mentions an account, for some accounts: without accounts that it mentions by name,
   * and without messages that mention no group. The members are those of now.
   */
  async of(
    messageIds: readonly number[],
    userIds: readonly number[],
    session: Session,
  ): Promise<ReadonlyMap<number, ReadonlyMap<number, number>>> {
    if (messageIds.length === 0) return new Map();
    const texts = await this.mentions.mentioningGroups(messageIds, session);
    const mentioned = texts.map(({ id, rendered }) => ({ id, ...mentionsIn(rendered) }));
    const groupIds = [...new Set(mentioned.flatMap((message) => message.groupIds))];
    if (groupIds.length === 0) return new Map();
    const asked = new Set(userIds);
    // Many messages may mention a group with thousands of members, most of whom are not asked for.
    const members = largestFirst(await this.mentions.membersOf(groupIds, session)).filter(
      ({ userId }) => asked.has(userId),
    );
    return new Map(
      mentioned.map(({ id, groupIds: ofMessage, userIds: byName }) => {
        const reached = members.filter(({ groupId }) => ofMessage.includes(groupId));
        return [id, viaSmallest(reached, byName)];
      }),
    );
  }
}

// Silent mentions have a further class.
const MENTION = /<span class="user-(group-)?mention" data-user-(?:group-)?id="(\d+)"/g;

function mentionsIn(html: string): { readonly userIds: number[]; readonly groupIds: number[] } {
  const userIds: number[] = [];
  const groupIds: number[] = [];
  for (const [, isGroup, id] of html.matchAll(MENTION)) {
    (isGroup === undefined ? userIds : groupIds).push(Number(id));
  }
  return { userIds, groupIds };
}
