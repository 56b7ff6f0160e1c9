import { jsonBytesOf } from '#platform/database';
import { MAX_EDITS } from './message-additions.js';
import { MARK_BYTES, MAX_MARKS_BYTES } from '../fetching/highlight.rules.js';

/** The most bytes of a page. In the memory of a gateway they take about ten times as much. */
export const MAX_PAGE_BYTES = 4_000_000;

/** About the bytes of what is read for each message, person and addition, besides its long texts. */
const MESSAGE_BYTES = 500;
const PERSON_BYTES = 250;
const ADDITION_BYTES = 200;

/** SQL: for a content that is rendered on reading, about the bytes of its HTML at most. */
export const renderedBytesOf = (content: string): string =>
  `least(50 * octet_length(${content}), 130000)`;

const NEWEST_EDITS = `
  SELECT prev_content FROM message_edits own
  WHERE own.message_id = m.id ORDER BY own.id DESC LIMIT ${MAX_EDITS}`;

const HTML_BYTES = `coalesce(octet_length(m.rendered), ${renderedBytesOf('m.content')})`;

/** SQL: the bytes of the match of a message `m` in an answer to a search: its HTML again, with marks. */
export const BYTES_OF_MATCH = `(
  ${HTML_BYTES} + least(${MAX_MARKS_BYTES}, ${MARK_BYTES} * (octet_length(m.content) + octet_length(m.topic)))
)`;

/** SQL: the bytes that the texts of a message `m` take as JSON beyond their own. Reads the texts. */
export const BYTES_OF_ESCAPES = (isSearch: boolean): string => `(
  ${jsonBytesOf(['m.content'])} - octet_length(m.content)
  + ${isSearch ? 2 : 1} * coalesce(${jsonBytesOf(['m.rendered'])} - octet_length(m.rendered), 0)
  + CASE WHEN m.last_edited_at IS NULL THEN 0 ELSE (
    SELECT coalesce(sum(${jsonBytesOf(['edit.prev_content'])} - octet_length(edit.prev_content)), 0)
    FROM (${NEWEST_EDITS}) AS edit
  ) END
)`;

/**
 * SQL: about the bytes that are read for a message `m` of the table. PostgreSQL knows the lengths of long texts without
 * reading them.
 */
export const BYTES_OF_MESSAGE = `(
  ${MESSAGE_BYTES} + octet_length(m.topic) + octet_length(m.content) + ${HTML_BYTES}
  + CASE WHEN m.conversation_id IS NULL THEN 0 ELSE (
    SELECT ${PERSON_BYTES} * count(*) FROM direct_conversation_members member
    WHERE member.conversation_id = m.conversation_id
  ) END
  + CASE WHEN m.last_edited_at IS NULL AND m.last_moved_at IS NULL THEN 0 ELSE (
    SELECT coalesce(sum(${ADDITION_BYTES} + coalesce(octet_length(edit.prev_content), 0)), 0)
    FROM (${NEWEST_EDITS}) AS edit
  ) END
  + (SELECT ${ADDITION_BYTES} * count(*) FROM message_reactions reaction WHERE reaction.message_id = m.id)
  + (
    SELECT coalesce(sum(${ADDITION_BYTES} + octet_length(submessage.content)), 0)
    FROM submessages submessage WHERE submessage.message_id = m.id
  )
)`;
