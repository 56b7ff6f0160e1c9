import type { MessageView } from '../reading/message.repository.js';

/** A change of a message, with the values before it; null for unchanged parts. */
export interface EditRecord {
  readonly userId: number;
  readonly editedAt: Date;
  readonly prevContent: string | null;
  readonly prevRendered: string | null;
  readonly prevTopic: string | null;
  readonly topic: string | null;
  readonly prevChannelId: number | null;
  readonly channelId: number | null;
}

/** A message after one of its changes, or as it was sent. */
export interface MessageVersion {
  readonly topic: string;
  readonly content: string;
  readonly rendered: string;
  readonly userId: number;
  readonly at: Date;
  /** The change that led to it; null for the message as it was sent, or before its oldest remembered change. */
  readonly edit: EditRecord | null;
}

/** The versions of a message, oldest first. */
export interface MessageHistory {
  /** Whether it is a direct message, which has no topic. */
  readonly isDirect: boolean;
  readonly versions: readonly MessageVersion[];
}

/** The versions of a message, oldest first, from its changes, newest first, with the HTML of each content. */
export function versionsOf(
  message: Pick<MessageView, 'topic' | 'content' | 'rendered' | 'senderId' | 'sentAt'>,
  edits: readonly EditRecord[],
): MessageVersion[] {
  const { senderId, sentAt } = message;
  let { topic, content, rendered } = message;
  const newestFirst = edits.map((edit): MessageVersion => {
    const { userId, editedAt: at } = edit;
    const version = { topic, content, rendered, userId, at, edit };
    topic = edit.prevTopic ?? topic;
    content = edit.prevContent ?? content;
    rendered = edit.prevRendered ?? rendered;
    return version;
  });
  const sent = { topic, content, rendered, userId: senderId, at: sentAt, edit: null };
  return [sent, ...newestFirst.toReversed()];
}
