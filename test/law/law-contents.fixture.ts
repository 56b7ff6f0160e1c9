import type { ReceivedEvent } from '#test/event-client';
import type { Row } from './law-state.fixture.js';

/** A message as a client knows it. */
export type KnownMessage = Row & { readonly id: number; flags: readonly string[] };

/** Applies a move to one of its messages. */
export function moveMessage(message: KnownMessage, event: ReceivedEvent): void {
  const { subject, new_stream_id, topic_links, edit_timestamp } = event;
  if (subject !== undefined) Object.assign(message, { subject, topic_links });
  if (new_stream_id !== undefined) Object.assign(message, { stream_id: new_stream_id });
  Object.assign(message, { last_moved_timestamp: edit_timestamp });
}

/** Applies the new content and the flags of this reader. */
export function editMessage(
  message: KnownMessage,
  event: ReceivedEvent,
  flags: readonly string[],
): void {
  const { content, rendered_content, is_me_message, edit_timestamp } = event;
  const isHtml = message['content_type'] === 'text/html';
  const shown = isHtml ? rendered_content : content;
  Object.assign(message, { content: shown, is_me_message, flags });
  if (event['rendering_only'] !== true) message['last_edit_timestamp'] = edit_timestamp;
}

/**
 * Members that clients take from elsewhere: from accounts and channels, which change without an event of the message, or
 * from a request for the history.
 */
const known = new Set([
  'avatar_url',
  'display_recipient',
  'edit_history',
  'recipient_id',
  'sender_email',
  'sender_full_name',
]);

/** The members of a message that its events keep up to date. */
export const comparableMessage = (message: Row): Row =>
  Object.fromEntries(Object.entries(message).filter(([name]) => !known.has(name)));
