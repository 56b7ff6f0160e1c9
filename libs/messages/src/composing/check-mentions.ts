import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { GroupMembershipRepository } from '#user-groups';
import { MentionRepository } from './mention.repository.js';
import type { CalledPeople } from './mentions.rules.js';

/** Refuses mentions of groups by those who may not call them. */
@Injectable()
export class CheckMentions {
  constructor(
    private readonly mentions: MentionRepository,
    private readonly membership: GroupMembershipRepository,
  ) {}

  /** Rejects with `mayNotMentionGroup` for the first such group. */
  async execute(caller: Caller, { groupIds }: CalledPeople): Promise<void> {
    if (groupIds.length === 0) return;
    const [groups, own] = await Promise.all([
      this.mentions.whoMayMention(groupIds),
      this.membership.groupsOf(caller.userId),
    ]);
    for (const { name, isSystem, canMentionId } of groups) {
      // Nobody can call all of a role; another group can be called by everyone while it has not said.
      const mayMention = canMentionId === null ? !isSystem : own.has(canMentionId);
      if (!mayMention) throw new ApiError('mayNotMentionGroup', { name });
    }
  }
}
