import { shownTopic } from '#chat/channels';
import { z } from 'zod';
import type { MessageAdditions, EditOfMessage } from './reading/message-additions.js';

/** The types of emoji; `#chat/emoji` cannot be imported here, since it depends on messages. */
const reactionType = z.enum(['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji']);

const reaction = z.object({
  emoji_name: z.string(),
  emoji_code: z.string(),
  reaction_type: reactionType,
  user_id: z.int(),
});

const submessage = z.object({
  id: z.int(),
  message_id: z.int(),
  sender_id: z.int(),
  msg_type: z.string(),
  content: z.string().describe('JSON.'),
});

const edit = z.object({
  user_id: z.int().describe('The account that made the change.'),
  timestamp: z.int().describe('UNIX seconds.'),
  prev_content: z.string().optional().describe('The Markdown before; only if it changed.'),
  prev_topic: z.string().optional().describe('The topic before; only if it changed.'),
  topic: z.string().optional().describe('The topic after; only if it changed.'),
  prev_stream: z.int().optional().describe('The channel before; only if it changed.'),
  stream: z.int().optional().describe('The channel after; only if it changed.'),
});

/** The members of a message that are added after it was sent. */
export const messageAdditions = {
  last_edit_timestamp: z
    .int()
    .optional()
    .describe('The last change of the content, in UNIX seconds; absent if there was none.'),
  last_moved_timestamp: z
    .int()
    .optional()
    .describe('The last change of topic or channel, in UNIX seconds; absent if there was none.'),
  edit_history: z
    .array(edit)
    .optional()
    .describe(
      'The newest changes of content, topic and channel, newest first; absent if none. Without those from before the message came from a channel that the reader cannot read, or whose history is hidden from the reader.',
    ),
  reactions: z.array(reaction),
  submessages: z.array(submessage),
};

/** The same members for the response. */
export function toMessageAdditions(
  {
    id,
    editedAt,
    movedAt,
    edits,
    reactions,
    submessages,
  }: MessageAdditions & { readonly id: number },
  isEmptyTopicAllowed: boolean,
) {
  return {
    ...(editedAt !== null && { last_edit_timestamp: secondsOf(editedAt) }),
    ...(movedAt !== null && { last_moved_timestamp: secondsOf(movedAt) }),
    ...(edits.length > 0 && {
      edit_history: edits.map((one) => toEditResponse(one, isEmptyTopicAllowed)),
    }),
    reactions: reactions.map(({ userId, emojiName, emojiCode, emojiType }) => ({
      emoji_name: emojiName,
      emoji_code: emojiCode,
      // Only such types are stored.
      reaction_type: emojiType as z.infer<typeof reactionType>,
      user_id: userId,
    })),
    submessages: submessages.map(({ type, senderId, ...rest }) => ({
      ...rest,
      message_id: id,
      sender_id: senderId,
      msg_type: type,
    })),
  };
}

/** The members of a change of the place of a message. */
const toPlaceChange = (
  {
    prevTopic,
    topic,
    prevChannelId,
    channelId,
  }: Pick<EditOfMessage, 'prevTopic' | 'topic' | 'prevChannelId' | 'channelId'>,
  isEmptyTopicAllowed: boolean,
) => ({
  ...(prevTopic !== null && { prev_topic: shownTopic(prevTopic, isEmptyTopicAllowed) }),
  ...(topic !== null && { topic: shownTopic(topic, isEmptyTopicAllowed) }),
  ...(prevChannelId !== null && { prev_stream: prevChannelId }),
  ...(channelId !== null && { stream: channelId }),
});

const toEditResponse = (
  one: EditOfMessage,
  isEmptyTopicAllowed: boolean,
): z.infer<typeof edit> => ({
  user_id: one.userId,
  timestamp: one.editedAt,
  ...(one.prevContent !== null && { prev_content: one.prevContent }),
  ...toPlaceChange(one, isEmptyTopicAllowed),
});

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000);
