import { Injectable } from '@nestjs/common';
import { topicVisibilities } from '#chat/user-topics';
import type { Transaction } from '#platform/database';

/** A reader whose mention or alert words an edit has changed. */
export interface ChangedMention {
  readonly userId: number;
  /** Whether the edit has added a mention. */
  readonly isAdded: boolean;
  /** Whether phones of the reader showed the message only because of the mention; the mark is removed. */
  readonly isTakenBack: boolean;
}

/** The readers that a content concerns. */
interface ConcernedReaders {
  readonly mentionedUserIds: readonly number[];
  readonly mentionsEveryone: boolean;
  /** The accounts with an alert word in the content, readers or not. */
  readonly alertedUserIds: readonly number[];
}

const SET_CONTENT = `
  UPDATE messages SET content = $2, rendered = $3, last_edited_at = $4 WHERE id = $1::bigint`;

// Without the mention, the account is notified of direct messages, of channels with notifications of all messages, and by
// default of followed topics.
const SET_MENTIONS = `
  WITH held AS (
    SELECT um.user_id, um.is_mentioned, um.is_wildcard_mentioned, um.has_alert_word, um.is_pushed,
      um.user_id = ANY($2::int[]) AS is_mentioned_now, um.user_id = ANY($4::int[]) AS is_alerted_now
    FROM user_messages um WHERE um.message_id = $1::bigint
    ORDER BY um.user_id
    FOR NO KEY UPDATE
  ),
  changed AS (
    SELECT held.user_id,
      is_mentioned_now AND NOT held.is_mentioned OR $3 AND NOT held.is_wildcard_mentioned AS is_added,
      held.is_pushed AND (held.is_mentioned OR held.is_wildcard_mentioned)
        AND NOT is_mentioned_now AND NOT $3 AND m.channel_id IS NOT NULL
        AND NOT coalesce(s.push_notifications, account.is_pushed_channels)
        AND coalesce(own.visibility, 0) <> ${topicVisibilities.followed} AS is_taken_back
    FROM held JOIN messages m ON m.id = $1::bigint JOIN users account ON account.id = held.user_id
    LEFT JOIN subscriptions s ON s.channel_id = m.channel_id AND s.user_id = held.user_id
    LEFT JOIN user_topics own
      ON own.user_id = held.user_id AND own.channel_id = m.channel_id AND own.topic_key = lower(m.topic)
    WHERE held.is_mentioned <> is_mentioned_now OR held.is_wildcard_mentioned <> $3
      OR held.has_alert_word <> is_alerted_now
  ),
  updated AS (
    UPDATE user_messages um
    SET is_mentioned = um.user_id = ANY($2::int[]), is_wildcard_mentioned = $3,
      has_alert_word = um.user_id = ANY($4::int[]), is_pushed = um.is_pushed AND NOT changed.is_taken_back
    FROM changed WHERE um.message_id = $1::bigint AND um.user_id = changed.user_id
  )
  SELECT user_id AS "userId", is_added AS "isAdded", is_taken_back AS "isTakenBack"
  FROM changed ORDER BY user_id`;

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
export interface ChangedLink {
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
    { content, rendered }: { readonly content: string; readonly rendered: string },
    at: Date,
  ): Promise<void> {
    const values = [messageId, content, rendered, at];
    await transaction.query('set_message_content', SET_CONTENT, values);
  }

  /** Sets the mentions and the alert words in the rows of the readers; resolves with the readers whose row has changed. */
  async setMentions(
    transaction: Transaction,
    messageId: number,
    { mentionedUserIds, mentionsEveryone, alertedUserIds }: ConcernedReaders,
  ): Promise<ChangedMention[]> {
    const values = [messageId, mentionedUserIds, mentionsEveryone, alertedUserIds];
    return transaction.query<ChangedMention>('set_mentions', SET_MENTIONS, values);
  }

  /** Sets the linked files of a message; resolves with the files whose link has changed. */
  async setLinks(
    transaction: Transaction,
    messageId: number,
    attachmentIds: readonly number[],
  ): Promise<ChangedLink[]> {
    const values = [messageId, attachmentIds];
    return transaction.query<ChangedLink>('set_message_links', SET_LINKS, values);
  }
}
