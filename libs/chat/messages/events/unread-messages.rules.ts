import { shownTopic } from '#chat/channels';
import type { UnreadGroup, UnreadState } from './message-state.repository.js';

/** The unread messages in the response of `POST /register`, for an account. */
export function toUnreadMessages(
  userId: number,
  { groups, isCut }: UnreadState,
  isEmptyTopicAllowed: boolean,
) {
  const huddles = groups.filter(({ memberIds }) => (memberIds?.length ?? 0) > 2);
  const mentions = groups.flatMap(({ isMuted, mentionIds, everyoneMentionIds }) =>
    isMuted ? mentionIds : [...mentionIds, ...everyoneMentionIds],
  );
  const counted = groups.filter(({ isMuted }) => !isMuted);
  return {
    count: counted.reduce((sum, { messageIds }) => sum + messageIds.length, 0),
    pms: groups
      .filter(({ memberIds }) => memberIds !== null && memberIds.length <= 2)
      .map((group) => toPersonal(userId, group))
      .toSorted((one, other) => one.other_user_id - other.other_user_id),
    streams: groups
      .flatMap((group) => toTopics(group, isEmptyTopicAllowed))
      // There may be thousands: each key is made once.
      .map((topic) => ({ topic, key: topic.topic.toLowerCase() }))
      .toSorted(
        (one, other) => one.topic.stream_id - other.topic.stream_id || compare(one.key, other.key),
      )
      .map(({ topic }) => topic),
    huddles: huddles
      .map(toHuddle)
      .toSorted((one, other) => compare(one.user_ids_string, other.user_ids_string)),
    mentions: [...new Set(mentions)].toSorted((one, other) => one - other),
    old_unreads_missing: isCut,
  };
}

function toPersonal(userId: number, { memberIds, messageIds }: UnreadGroup) {
  const otherId = memberIds?.find((id) => id !== userId) ?? userId;
  return { other_user_id: otherId, sender_id: otherId, unread_message_ids: messageIds };
}

const toTopics = ({ channelId, topic, messageIds }: UnreadGroup, isEmptyTopicAllowed: boolean) =>
  channelId === null
    ? []
    : [
        {
          stream_id: channelId,
          topic: shownTopic(topic, isEmptyTopicAllowed),
          unread_message_ids: messageIds,
        },
      ];

const toHuddle = ({ memberIds, messageIds }: UnreadGroup) => ({
  user_ids_string: (memberIds ?? []).join(','),
  unread_message_ids: messageIds,
});

/** By code unit, an order that does not depend on the locale. */
const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
