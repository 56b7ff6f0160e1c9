import { MAX_EDITS } from '../reading/message-additions.js';

/** The most bytes of a page. In the memory of a gateway they take about ten times as much. */
export const MAX_PAGE_BYTES = 16_000_000;

/** About the bytes of what is read for each message, person and addition, besides its long texts. */
const MESSAGE_BYTES = 500;
const PERSON_BYTES = 250;
const ADDITION_BYTES = 200;

/** For a message that is rendered on reading: about the most HTML of its content. */
const RENDERED_BYTES = 'least(50 * octet_length(m.content), 130000)';

/**
 * SQL: about the bytes that are read for a message `m` of the table. PostgreSQL knows the lengths of long texts without
 * reading them.
 */
export const BYTES_OF_MESSAGE = `(
  ${MESSAGE_BYTES} + octet_length(m.content) + coalesce(octet_length(m.rendered), ${RENDERED_BYTES})
  + CASE WHEN m.conversation_id IS NULL THEN 0 ELSE (
    SELECT ${PERSON_BYTES} * count(*) FROM direct_conversation_members member
    WHERE member.conversation_id = m.conversation_id
  ) END
  + CASE WHEN m.last_edited_at IS NULL AND m.last_moved_at IS NULL THEN 0 ELSE (
    SELECT coalesce(sum(${ADDITION_BYTES} + coalesce(octet_length(edit.prev_content), 0)), 0)
    FROM (
      SELECT prev_content FROM message_edits own
      WHERE own.message_id = m.id ORDER BY own.id DESC LIMIT ${MAX_EDITS}
    ) AS edit
  ) END
  + (SELECT ${ADDITION_BYTES} * count(*) FROM message_reactions reaction WHERE reaction.message_id = m.id)
  + (
    SELECT coalesce(sum(${ADDITION_BYTES} + octet_length(submessage.content)), 0)
    FROM submessages submessage WHERE submessage.message_id = m.id
  )
)`;
