import type { ReceivedEvent } from '#test/event-client';
import { idsOf, type Row, rowsOf, type State } from './law-state.fixture.js';

/** A message as a client knows it. */
export type ClientMessage = Row & { readonly id: number; flags: readonly string[] };

/** Applies a move to one of its messages. */
export function moveMessage(message: ClientMessage, event: ReceivedEvent): void {
  const { subject, new_stream_id, topic_links, edit_timestamp } = event;
  if (subject !== undefined) Object.assign(message, { subject, topic_links });
  if (new_stream_id !== undefined) Object.assign(message, { stream_id: new_stream_id });
  Object.assign(message, { last_moved_timestamp: edit_timestamp });
}

/** Applies the new content and the flags of this reader. */
export function editMessage(
  message: ClientMessage,
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

/**
 * Removes unread messages of channels that the client cannot know, and their number, from its state and from that of a new
 * registration.
 */
export function forgetUnknown(
  kept: State,
  fresh: State,
  isKnown: (id: number, channelId: number) => boolean,
): void {
  const unread = (fresh['unread_msgs'] ?? {}) as State;
  const unknown = new Set(
    rowsOf(unread, 'streams').flatMap(({ stream_id: channelId, unread_message_ids: ids }) =>
      idsOf(ids).filter((id) => !isKnown(id, Number(channelId))),
    ),
  );
  if (unknown.size === 0) return;
  const others = (ids: unknown): number[] => idsOf(ids).filter((id) => !unknown.has(id));
  unread['mentions'] = others(unread['mentions']);
  unread['streams'] = rowsOf(unread, 'streams')
    .map((row) => ({ ...row, unread_message_ids: others(row['unread_message_ids']) }))
    .filter((row) => row.unread_message_ids.length > 0);
  for (const state of [kept, fresh]) delete (state['unread_msgs'] as State)['count'];
}
