import { describe, expect, it } from '@jest/globals';
import type { UnreadGroup } from './message-state.repository.js';
import { toUnreadMessages } from './unread-messages.rules.js';

const OWN = 5;
const plain = { topic: '', isMuted: false, mentionIds: [], everyoneMentionIds: [] };
const talk = (memberIds: number[], messageIds: number[]): UnreadGroup => ({
  ...plain,
  channelId: null,
  memberIds,
  messageIds,
});
const topic = (
  channelId: number,
  name: string,
  messageIds: number[],
  more: Partial<UnreadGroup> = {},
): UnreadGroup => ({ ...plain, channelId, memberIds: null, topic: name, messageIds, ...more });

const sut = (groups: readonly UnreadGroup[], isCut = false, isEmptyTopicAllowed = true) =>
  toUnreadMessages(OWN, { groups, isCut }, isEmptyTopicAllowed);

describe(toUnreadMessages.name, () => {
  it('is empty without unread messages', () => {
    expect(sut([])).toEqual({
      count: 0,
      pms: [],
      streams: [],
      huddles: [],
      mentions: [],
      old_unreads_missing: false,
    });
  });

  it('sorts conversations by their key', () => {
    const groups = [
      talk([5, 9], [1]),
      talk([5], [2]),
      talk([2, 5], [3]),
      talk([4, 5, 9], [4]),
      talk([1, 5, 20], [5, 6]),
    ];
    expect(sut(groups)).toMatchObject({
      count: 6,
      pms: [
        { other_user_id: 2, sender_id: 2, unread_message_ids: [3] },
        { other_user_id: 5, sender_id: 5, unread_message_ids: [2] },
        { other_user_id: 9, sender_id: 9, unread_message_ids: [1] },
      ],
      huddles: [
        { user_ids_string: '1,5,20', unread_message_ids: [5, 6] },
        { user_ids_string: '4,5,9', unread_message_ids: [4] },
      ],
    });
  });

  it('sorts topics by channel and name, and names the empty topic', () => {
    const groups = [
      topic(8, 'zoo', [1]),
      topic(3, 'Lunch', [2]),
      topic(3, 'apple', [3]),
      topic(3, '', [4]),
    ];
    expect(sut(groups, false, false).streams).toEqual([
      { stream_id: 3, topic: 'apple', unread_message_ids: [3] },
      { stream_id: 3, topic: 'general chat', unread_message_ids: [4] },
      { stream_id: 3, topic: 'Lunch', unread_message_ids: [2] },
      { stream_id: 8, topic: 'zoo', unread_message_ids: [1] },
    ]);
    expect(sut([topic(3, '', [4])]).streams).toMatchObject([{ topic: '' }]);
  });

  it.each([[['Lunch', 'apple']], [['apple', 'Lunch']]])(
    'sorts the topics %j without regard to case',
    (names) => {
      const groups = names.map((name) => topic(3, name, [1]));
      expect(sut(groups).streams).toMatchObject([{ topic: 'apple' }, { topic: 'Lunch' }]);
    },
  );

  it('lists mentions of the account and of everyone', () => {
    const groups = [topic(3, 'a', [1, 2, 3], { mentionIds: [3], everyoneMentionIds: [1] })];
    expect(sut(groups)).toMatchObject({ mentions: [1, 3] });
  });

  it('lists the messages of muted channels without counting them or their mentions of everyone', () => {
    const mentions = { mentionIds: [2], everyoneMentionIds: [3] };
    const groups = [
      topic(3, 'a', [2, 3], { isMuted: true, ...mentions }),
      topic(4, 'a', [1, 7], { mentionIds: [7], everyoneMentionIds: [1, 7] }),
    ];
    expect(sut(groups)).toMatchObject({
      count: 2,
      streams: [{ unread_message_ids: [2, 3] }, { unread_message_ids: [1, 7] }],
      mentions: [1, 2, 7],
    });
  });

  it('sets old_unreads_missing if older unread messages are left out', () => {
    expect(sut([], true)).toMatchObject({ old_unreads_missing: true });
  });
});
