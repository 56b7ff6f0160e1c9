import { Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';

/** A reader whose mention or alert words an edit has changed. */
export interface MentionChange {
  readonly userId: number;
  /** Whether the edit has added a mention. */
  readonly isAdded: boolean;
}

/** The new content of a message. */
interface EditedContent {
  /** Markdown. */
  readonly content: string;
  /** HTML. */
  readonly rendered: string;
  /** Whether it mentions the participants of the topic, and not everyone. */
  readonly mentionsTopic: boolean;
}

/** The readers that a content concerns. */
interface ConcernedReaders {
  readonly mentionedUserIds: readonly number[];
  readonly mentionsEveryone: boolean;
  /** The participants of the topic, readers or not, if the content mentions them; else empty. */
  readonly mentionedParticipantIds: readonly number[];
  /** The accounts with an alert word in the content, readers or not. */
  readonly alertedUserIds: readonly number[];
}

const SET_CONTENT = `
  UPDATE messages SET content = $2, rendered = $3, mentions_topic = $4, last_edited_at = $5
  WHERE id = $1::bigint`;

const IS_MENTIONED_NOW = 'um.user_id IN (SELECT unnest($2::int[]))';
const IS_WILDCARD_NOW = '($3 OR um.user_id IN (SELECT unnest($5::int[])))';
const IS_ALERTED_NOW = 'um.user_id IN (SELECT unnest($4::int[]))';

// Without joins: PostgreSQL expects few readers of a message, and would compare each of them with each.
const SET_MENTIONS = `
  WITH held AS (
    SELECT um.user_id, um.is_mentioned, um.is_wildcard_mentioned, um.has_alert_word,
      ${IS_MENTIONED_NOW} AS is_mentioned_now, ${IS_WILDCARD_NOW} AS is_wildcard_now,
      ${IS_ALERTED_NOW} AS is_alerted_now
    FROM user_messages um
    WHERE um.message_id = $1::bigint
    ORDER BY um.user_id
    FOR NO KEY UPDATE OF um
  ),
  updated AS (
    UPDATE user_messages um
    SET is_mentioned = ${IS_MENTIONED_NOW}, is_wildcard_mentioned = ${IS_WILDCARD_NOW},
      has_alert_word = ${IS_ALERTED_NOW}
    WHERE um.message_id = $1::bigint AND (
      um.is_mentioned <> ${IS_MENTIONED_NOW} OR um.is_wildcard_mentioned <> ${IS_WILDCARD_NOW}
      OR um.has_alert_word <> ${IS_ALERTED_NOW}
    )
  )
  SELECT user_id AS "userId",
    is_mentioned_now AND NOT is_mentioned OR is_wildcard_now AND NOT is_wildcard_mentioned AS "isAdded"
  FROM held
  WHERE is_mentioned <> is_mentioned_now OR is_wildcard_mentioned <> is_wildcard_now
    OR has_alert_word <> is_alerted_now
  ORDER BY user_id`;

const SET_LINKS = `
  WITH removed AS (
    DELETE FROM attachment_messages
    WHERE message_id = $1::bigint AND attachment_id <> ALL($2::int[]) RETURNING attachment_id
  ),
  added AS (
    INSERT INTO attachment_messages (attachment_id, message_id)
    SELECT a.id, $1::bigint FROM attachments a WHERE a.id = ANY($2::int[])
    FOR KEY SHARE OF a
    ON CONFLICT DO NOTHING
    RETURNING attachment_id
  )
  SELECT attachment_id AS id, true AS "isRemoved" FROM removed
  UNION ALL SELECT attachment_id, false FROM added
  ORDER BY id`;

/** A file whose link to a message has changed. */
export interface LinkChange {
  readonly id: number;
  readonly isRemoved: boolean;
}

/** Changes the content of a message, and its mentions and links to files. */
@Injectable()
export class EditedContentRepository {
  /** Stores the new Markdown and HTML of a message, and the time of the edit. */
  async setContent(
    transaction: Transaction,
    messageId: number,
    { content, rendered, mentionsTopic }: EditedContent,
    at: Date,
  ): Promise<void> {
    const values = [messageId, content, rendered, mentionsTopic, at];
    await transaction.query('set_message_content', SET_CONTENT, values);
  }

  /** Sets the mentions and the alert words in the rows of the readers; resolves with the readers whose row has changed. */
  async setMentions(
    transaction: Transaction,
    messageId: number,
    concerned: ConcernedReaders,
  ): Promise<MentionChange[]> {
    const { mentionedUserIds, mentionsEveryone, alertedUserIds } = concerned;
    const participants = concerned.mentionedParticipantIds;
    const values = [messageId, mentionedUserIds, mentionsEveryone, alertedUserIds, participants];
    return transaction.query<MentionChange>('set_mentions', SET_MENTIONS, values);
  }

  /** Sets the linked files of a message; resolves with the files whose link has changed. */
  async setLinks(
    transaction: Transaction,
    messageId: number,
    attachmentIds: readonly number[],
  ): Promise<LinkChange[]> {
    const values = [messageId, attachmentIds];
    return transaction.query<LinkChange>('set_message_links', SET_LINKS, values);
  }
}
