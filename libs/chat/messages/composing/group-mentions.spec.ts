import { describe, expect, it } from '@jest/globals';
import type { Session } from '#platform/database';
import { GroupMentions } from './group-mentions.js';
import type { MentionRepository } from './mention.repository.js';

const groupMention = (id: number) =>
  `<span class="user-group-mention" data-user-group-id="${id}">@group</span>`;

/** The groups of messages with these texts, for accounts 1 and 2. */
function viaGroups(texts: readonly string[], groups: Readonly<Record<number, number[]>>) {
  const mentions = {
    mentioningGroups: async () => texts.map((rendered, index) => ({ id: index, rendered })),
    membersOf: async (groupIds: readonly number[]) =>
      groupIds.flatMap((groupId) => (groups[groupId] ?? []).map((userId) => ({ groupId, userId }))),
  } as unknown as MentionRepository;
  const messageIds = texts.map((_, index) => index);
  return new GroupMentions(mentions).of(messageIds, [1, 2], {} as Session);
}

describe(GroupMentions, () => {
  const everyone = Array.from({ length: 10_000 }, (_, index) => index + 1);

  it('names the smallest group of all its members, for the accounts that are asked for', async () => {
    const groups = { 10: [1, ...everyone.slice(100, 200)], 20: [1, 2, 3] };
    const text = groupMention(10) + groupMention(20);
    expect(await viaGroups([text, groupMention(10)], groups)).toEqual(
      new Map([
        [
          0,
          new Map([
            [1, 20],
            [2, 20],
          ]),
        ],
        [1, new Map([[1, 10]])],
      ]),
    );
  });

  it('leaves out accounts that are mentioned by name', async () => {
    const text = `${groupMention(20)}<span class="user-mention" data-user-id="2">@Two</span>`;
    expect(await viaGroups([text], { 20: [1, 2] })).toEqual(new Map([[0, new Map([[1, 20]])]]));
  });

  it('keeps nothing of the other members of a large group', async () => {
    const found = await viaGroups(Array(100).fill(groupMention(10)), { 10: everyone });
    expect([...found.values()].map(({ size }) => size)).toEqual(Array(100).fill(2));
  });
});
