/** An emoji that an account has added to a message. */
interface MessageReaction {
  readonly userId: number;
  readonly emojiName: string;
  readonly emojiCode: string;
  readonly emojiType: string;
}

/** A change of a message. A member that stayed the same is null, before and after. */
export interface EditOfMessage {
  readonly userId: number;
  /** UNIX seconds. */
  readonly editedAt: number;
  /** Markdown. */
  readonly prevContent: string | null;
  readonly prevTopic: string | null;
  readonly topic: string | null;
  readonly prevChannelId: number | null;
  readonly channelId: number | null;
}

/** Data of a widget in a message. */
interface MessageSubmessage {
  readonly id: number;
  readonly senderId: number;
  readonly type: string;
  readonly content: string;
}

/** The additions to a message after it was sent, and its changes. */
export interface MessageAdditions {
  /** The last change of the content; null if there was none. */
  readonly editedAt: Date | null;
  /** The last change of the topic or channel; null if there was none. */
  readonly movedAt: Date | null;
  /** The newest changes, newest first. */
  readonly edits: readonly EditOfMessage[];
  /** In the order in which they were added. */
  readonly reactions: readonly MessageReaction[];
  /** In the order in which they were added. */
  readonly submessages: readonly MessageSubmessage[];
}

/** A message object has no older changes: each may have a long text, and a list has many messages. */
export const MAX_EDITS = 10;

/**
 * SQL: the members of MessageAdditions, of a message `m`. No index has the order of reactions in a message: `+ 0` keeps
 * PostgreSQL from reading the reactions of all messages in their order for each message, which it does where few messages have
 * nearly all reactions.
 */
export const ADDED_COLUMNS = `
  m.last_edited_at AS "editedAt", m.last_moved_at AS "movedAt",
  CASE WHEN m.last_edited_at IS NULL AND m.last_moved_at IS NULL THEN '[]' ELSE (
    SELECT coalesce(json_agg(json_build_object(
      'userId', edit.user_id, 'editedAt', floor(extract(epoch FROM edit.edited_at)),
      'prevContent', edit.prev_content, 'prevTopic', edit.prev_topic, 'topic', edit.topic,
      'prevChannelId', edit.prev_channel_id, 'channelId', edit.channel_id
    ) ORDER BY edit.id DESC), '[]')
    FROM (
      SELECT * FROM message_edits own WHERE own.message_id = m.id ORDER BY own.id DESC LIMIT ${MAX_EDITS}
    ) AS edit
  ) END AS edits,
  (
    SELECT coalesce(json_agg(json_build_object(
      'userId', reaction.user_id, 'emojiName', reaction.emoji_name,
      'emojiCode', reaction.emoji_code, 'emojiType', reaction.emoji_type
    ) ORDER BY reaction.id + 0), '[]')
    FROM message_reactions reaction WHERE reaction.message_id = m.id
  ) AS reactions,
  (
    SELECT coalesce(json_agg(json_build_object(
      'id', submessage.id, 'senderId', submessage.sender_id,
      'type', submessage.type, 'content', submessage.content
    ) ORDER BY submessage.id), '[]')
    FROM submessages submessage WHERE submessage.message_id = m.id
  ) AS submessages`;
