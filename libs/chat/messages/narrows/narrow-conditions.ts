import { topicVisibilities } from '#chat/user-topics';
import { RESOLVED_TOPIC_PREFIX } from '../resolved-topic.rules.js';
import type { Condition, Narrow } from './narrow.js';
import type { ReaderParameters } from './reader-parameters.js';
import { spellingsOf } from './spellings.rules.js';
import type { SqlParameters } from './sql-parameters.js';
import type { ChannelKind, Content, SearchText, State } from './term.js';

/** The configuration of PostgreSQL's full text search: English stems, without stop words. */
export const SEARCH_CONFIG = "'message_search'";

// As in the index messages_words_idx.
const SEARCHED = 'message_words(m.topic, coalesce(m.rendered, m.content))';

/** A condition that is true where the given one is false or unknown. */
export const not =
  (condition: Condition): Condition =>
  (sql, reader) =>
    `(${condition(sql, reader)}) IS NOT TRUE`;

/** Holds for all messages. */
export const anything: Condition = () => 'true';
/** Holds for no message. */
export const nothing: Condition = () => 'false';

/** Messages of a channel. */
export const inChannel =
  (channelId: number): Condition =>
  (sql) =>
    `m.channel_id = ${sql.add(channelId)}::int`;

const kindConditions: Readonly<Record<ChannelKind, string>> = {
  public: 'NOT c.is_private',
  'web-public': 'c.is_web_public',
  archived: 'c.archived_at IS NOT NULL',
};

/** Messages of the channels of a kind. */
export const inChannelsOf =
  (kind: ChannelKind): Condition =>
  () =>
    kindConditions[kind];

/** Messages of a topic, without regard to case. Naming the channels of the organisation lets PostgreSQL use the index of topics. */
export const inTopic =
  (topic: string): Condition =>
  (sql, reader) => {
    const topics = spellingsOf(topic).map((spelling) => `lower(${sql.add(spelling)}::text)`);
    return `lower(m.topic) IN (${topics.join(', ')}) AND m.channel_id IN (
      SELECT place.id FROM channels place WHERE place.realm_id = ${reader.realmId()}
    )`;
  };

/** Messages of a direct conversation. */
export const inConversation =
  (conversationId: number): Condition =>
  (sql) =>
    `m.conversation_id = ${sql.add(conversationId)}::int`;

/** Direct messages in whose conversation a user takes part. */
export const withPerson =
  (userId: number): Condition =>
  (sql) =>
    `EXISTS (
      SELECT FROM direct_conversation_members member
      WHERE member.conversation_id = m.conversation_id AND member.user_id = ${sql.add(userId)}::int
    )`;

/** Messages of a sender. */
export const fromSender =
  (userId: number): Condition =>
  (sql) =>
    `m.sender_id = ${sql.add(userId)}::int`;

/** Messages that mention a user. */
export const mentioning =
  (userId: number): Condition =>
  (sql) =>
    `EXISTS (
      SELECT FROM user_messages mentioned
      WHERE mentioned.user_id = ${sql.add(userId)}::int AND mentioned.message_id = m.id
        AND mentioned.is_mentioned
    )`;

/** The message with an id. */
export const withId =
  (messageId: number): Condition =>
  (sql) =>
    `m.id = ${sql.add(messageId)}::bigint`;

const contentConditions: Readonly<Record<Content, string>> = {
  attachment: 'EXISTS (SELECT FROM attachment_messages link WHERE link.message_id = m.id)',
  image: `EXISTS (
    SELECT FROM attachment_messages link JOIN attachments file ON file.id = link.attachment_id
    WHERE link.message_id = m.id AND file.content_type LIKE 'image/%'
  ) OR coalesce(m.rendered, m.content) ~* 'https?://[^\\s"<>()]+\\.(bmp|gif|jpe?g|png|webp)["?#)]'`,
  link: `CASE
    WHEN m.rendered IS NULL THEN m.content ~ 'https?://|\\]\\('
    ELSE strpos(m.rendered, '<a ') > 0
  END`,
  reaction: 'EXISTS (SELECT FROM message_reactions reaction WHERE reaction.message_id = m.id)',
};

/** Messages that contain something, such as a link. */
export const withContent =
  (content: Content): Condition =>
  () =>
    contentConditions[content];

/** How the reader sees the topic of a message, as `user_topics` has it; null if like the channel. */
const visibility = (reader: ReaderParameters): string => `(
  SELECT own.visibility FROM user_topics own
  WHERE own.user_id = ${reader.userId()} AND own.channel_id = m.channel_id AND own.topic_key = lower(m.topic)
)`;

/** Whether the reader has muted the topic of a message. */
const isTopicMuted: Condition = (_, reader) => `${visibility(reader)} = ${topicVisibilities.muted}`;

/** The same, or its channel without an exception for the topic. */
const isMuted: Condition = (_, reader) =>
  `coalesce(${visibility(reader)} = ${topicVisibilities.muted}, s.is_muted, false)`;

/** Messages whose topic and channel the reader has not muted. */
export const isNotMuted: Condition = not(isMuted);

// An index finds the messages of each followed topic.
const isFollowed: Condition = (_, reader) => `EXISTS (
  SELECT FROM user_topics own
  WHERE own.user_id = ${reader.userId()} AND own.visibility = ${topicVisibilities.followed}
    AND own.channel_id = m.channel_id AND own.topic_key = lower(m.topic)
)`;

/** Whether the reader has muted the sender of a message. */
const isSenderMuted: Condition = (_, reader) =>
  `EXISTS (
    SELECT FROM muted_users muted
    WHERE muted.user_id = ${reader.userId()} AND muted.muted_user_id = m.sender_id
  )`;

/** The conditions that leave out muted channels, topics and senders, unless the narrow is about them. */
export function withoutMuted({ isOf }: Narrow): Condition[] {
  const people = isOf.person ? [] : [not(isSenderMuted)];
  if (isOf.topic) return people;
  return [...people, isOf.channel ? not(isTopicMuted) : isNotMuted];
}

const stateConditions: Readonly<Record<State, Condition>> = {
  dm: () => 'm.conversation_id IS NOT NULL',
  starred: () => 'um.is_starred',
  unread: () => 'NOT um.is_read',
  mentioned: () => '(um.is_mentioned OR um.is_wildcard_mentioned)',
  alerted: () => 'um.has_alert_word',
  resolved: () => `m.channel_id IS NOT NULL AND starts_with(m.topic, '${RESOLVED_TOPIC_PREFIX}')`,
  followed: isFollowed,
  muted: isMuted,
};

/** Messages in a state, such as unread. */
export const inState = (state: State): Condition => stateConditions[state];

/** Messages whose content or topic has all words, and each phrase as it is. */
export const matching =
  ({ words, phrases }: SearchText): Condition =>
  (sql) => {
    const all = phrases.map((phrase) => {
      const one = spellingsOf(phrase).map((spelling) => containing(sql.add(spelling)));
      return `(${one.join(' OR ')})`;
    });
    if (words !== '') all.push(`${SEARCHED} @@ (${wordsQuery(sql, words)})`);
    return all.join(' AND ');
  };

/** A query for all words, each in one of its spellings. */
function wordsQuery(sql: SqlParameters, words: string): string {
  const queryOf = (text: string): string => plainQuery(sql.add(text));
  if (spellingsOf(words).length === 1) return queryOf(words);
  const queries = words.split(' ').map((word) => spellingsOf(word).map(queryOf).join(' || '));
  return queries.map((query) => `(${query})`).join(' && ');
}

const plainQuery = (words: string): string => `plainto_tsquery(${SEARCH_CONFIG}, ${words}::text)`;
const phraseQuery = (phrase: string): string =>
  `phraseto_tsquery(${SEARCH_CONFIG}, ${phrase}::text)`;

// The index finds the words of a phrase; a phrase without words is only compared.
const containing = (phrase: string): string => `(
  (numnode(${phraseQuery(phrase)}) = 0 OR ${SEARCHED} @@ ${phraseQuery(phrase)})
  AND strpos(lower(m.topic || chr(10) || m.content), lower(${phrase}::text)) > 0
)`;
