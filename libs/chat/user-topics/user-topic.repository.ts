import { Injectable } from '@nestjs/common';
import { directGroupsOf } from '#directory/groups';
import { roles } from '#directory/roles';
import { lockAndCheckRoom, lockList, type Session, type Transaction } from '#platform/database';

/** How a user sees a topic; 0 means no setting: the topic is seen like its channel. */
export const topicVisibilities = { none: 0, muted: 1, unmuted: 2, followed: 3 } as const;

export type TopicVisibility = (typeof topicVisibilities)[keyof typeof topicVisibilities];

/** A topic of a channel. Topics that differ only in case are one. */
export interface TopicPlace {
  readonly channelId: number;
  /** Empty for the empty topic. */
  readonly topic: string;
}

/** The setting of a user for a topic. */
export interface UserTopic extends TopicPlace {
  readonly visibility: TopicVisibility;
  /** UNIX seconds. */
  readonly updatedAt: number;
}

/** A changed setting that is the same for several users. */
export interface UserTopicChange extends UserTopic {
  readonly userIds: readonly number[];
}

/** Muted topics of a user in the older form: the names of their channels instead of the ids. */
interface TopicMutes {
  readonly userId: number;
  readonly topics: readonly (readonly [channelName: string, topic: string, updatedAt: number])[];
}

/** A topic whose messages were all moved. */
export interface TopicMove {
  readonly from: TopicPlace;
  readonly to: TopicPlace;
  /** The moved messages, with the rows of their readers in the new place. */
  readonly messageIds: readonly number[];
  /** Whether the new topic had messages before. */
  readonly isMerge: boolean;
}

/** Above the highest cap that can be configured. */
const MAX_LISTED = 10_000_000;

/** The older form is sent as a whole with each change, so it has only the newest muted topics. */
const MAX_MUTED = 1000;

const { none, muted, unmuted, followed } = topicVisibilities;

const secondsOf = (time: string): string => `floor(extract(epoch FROM ${time}))::int`;

const COLUMNS = `
  channel_id AS "channelId", topic, visibility::int, ${secondsOf('updated_at')} AS "updatedAt"`;

const LIST = `
  SELECT ${COLUMNS} FROM user_topics WHERE user_id = $1 ORDER BY channel_id, topic_key LIMIT $2`;

/** SQL: whether an account `reader` may see a channel `c`, as `hasMetadataAccess` says. */
const SEES_CHANNEL = `(
  c.is_web_public OR EXISTS (
    SELECT FROM subscriptions s
    WHERE s.channel_id = c.id AND s.user_id = reader.id AND s.is_active
  )
  OR reader.role < ${roles.guest} AND (NOT c.is_private OR reader.role <= ${roles.administrator} OR EXISTS (
    WITH RECURSIVE containing (group_id) AS (
      SELECT group_id FROM ${directGroupsOf('reader.id')} AS own
      UNION
      SELECT above.supergroup_id
      FROM user_group_subgroups above JOIN containing ON above.subgroup_id = containing.group_id
    )
    SELECT FROM containing
    WHERE group_id IN (c.can_add_subscribers_id, c.can_administer_channel_id, c.can_subscribe_id)
  ))
)`;

// The present name of a channel that the account has left may be secret.
const LIST_MUTED = `
  SELECT reader.id AS "userId", (
    SELECT coalesce(json_agg(
      json_build_array(c.name, t.topic, ${secondsOf('t.updated_at')})
      ORDER BY t.updated_at, t.channel_id, t.topic_key
    ), '[]')
    FROM (
      SELECT * FROM user_topics WHERE user_id = reader.id AND visibility = ${muted}
      ORDER BY updated_at DESC, channel_id, topic_key LIMIT $2
    ) AS t
    JOIN channels c ON c.id = t.channel_id AND ${SEES_CHANNEL}
  ) AS topics
  FROM users reader WHERE reader.id = ANY($1::int[]) ORDER BY reader.id`;

const THIS_TOPIC = `user_id = $1 AND channel_id = $2 AND topic_key = lower($3::text)`;

const EXISTS = `SELECT FROM user_topics WHERE ${THIS_TOPIC}`;

const SET = `
  INSERT INTO user_topics (user_id, channel_id, topic_key, topic, visibility)
  SELECT $1, $2, lower($3::text), $3, $4 WHERE $5::boolean OR EXISTS (${EXISTS})
  ON CONFLICT (user_id, channel_id, topic_key) DO UPDATE
  SET topic = excluded.topic, visibility = excluded.visibility, updated_at = excluded.updated_at
  WHERE user_topics.visibility <> excluded.visibility
  RETURNING ${COLUMNS}`;

const CLEAR = `
  DELETE FROM user_topics WHERE ${THIS_TOPIC} AND ($4::int IS NULL OR visibility = $4)
  RETURNING channel_id AS "channelId", $3::text AS topic, ${none} AS visibility,
    ${secondsOf('now()')} AS "updatedAt"`;

// A user who cannot read the new place keeps no setting for it: its event would reveal the name of the topic. In a channel that
// hides its history, that is one who has received none of the messages, and had no setting for the new topic.
const MOVE = `
  WITH left_behind AS (
    DELETE FROM user_topics WHERE channel_id = $1 AND topic_key = lower($2::text)
      AND ($1 <> $3::int OR lower($2) <> lower($4::text))
    RETURNING user_id, visibility
  ),
  known AS MATERIALIZED (
    SELECT user_id, visibility FROM user_topics WHERE channel_id = $3 AND topic_key = lower($4)
      AND ($1 <> $3 OR lower($2) <> lower($4))
  ),
  merged AS (
    SELECT user_id, known.visibility AS before,
      CASE
        WHEN NOT $5::boolean THEN coalesce(left_behind.visibility, known.visibility)
        WHEN ${followed} IN (left_behind.visibility, known.visibility) THEN ${followed}
        WHEN ${unmuted} IN (left_behind.visibility, known.visibility) THEN ${unmuted}
        WHEN left_behind.visibility = known.visibility THEN known.visibility
      END AS after
    FROM left_behind FULL JOIN known USING (user_id)
  ),
  changed AS MATERIALIZED (
    SELECT merged.* FROM merged JOIN users u ON u.id = merged.user_id JOIN channels c ON c.id = $3
    WHERE after IS DISTINCT FROM before AND (
      c.is_web_public OR (NOT c.is_private AND u.role < ${roles.guest}) OR EXISTS (
        SELECT FROM subscriptions s WHERE s.channel_id = c.id AND s.user_id = u.id AND s.is_active
      )
    ) AND (
      before IS NOT NULL OR coalesce(c.is_history_public, NOT c.is_private) OR (
        SELECT true FROM user_messages um
        WHERE um.user_id = u.id AND um.message_id = ANY($6::bigint[]) AND NOT um.is_historical LIMIT 1
      )
    )
  ),
  stored AS (
    INSERT INTO user_topics (user_id, channel_id, topic_key, topic, visibility)
    SELECT user_id, $3, lower($4), $4, after FROM changed WHERE after IS NOT NULL
    ON CONFLICT (user_id, channel_id, topic_key) DO UPDATE
    SET topic = excluded.topic, visibility = excluded.visibility, updated_at = excluded.updated_at
  ),
  cleared AS (
    DELETE FROM user_topics WHERE channel_id = $3 AND topic_key = lower($4)
      AND user_id IN (SELECT user_id FROM changed WHERE after IS NULL)
  )
  SELECT place AS "channelId", topic, visibility::int, ${secondsOf('now()')} AS "updatedAt",
    json_agg(user_id ORDER BY user_id) AS "userIds"
  FROM (
    SELECT 1 AS step, $1::int AS place, $2::text AS topic, ${none} AS visibility, user_id FROM left_behind
    UNION ALL
    SELECT 2, $3, $4, coalesce(after, ${none}), user_id FROM changed
  ) AS change
  GROUP BY step, place, topic, visibility ORDER BY step, visibility`;

const CONCERNED = `
  SELECT DISTINCT user_id AS id FROM user_topics
  JOIN unnest($1::int[], $2::text[]) AS place (channel_id, topic)
    ON user_topics.channel_id = place.channel_id AND topic_key = lower(place.topic)`;

const LOCK_SHARED = `SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))`;

const topicsOfUser = { table: 'user_topics', owner: 'user_id' } as const;
const topicsOfRealm = { table: 'user_topics of realm' } as const;

/**
 * The settings of users for topics. A change blocks other changes of the same user until the end of its transaction, so that
 * a list that is read after the change is the list at the commit.
 */
@Injectable()
export class UserTopicRepository {
  /** All settings of a user. */
  async list(userId: number, session: Session): Promise<UserTopic[]> {
    return session.query<UserTopic>('list_user_topics', LIST, [userId, MAX_LISTED]);
  }

  /**
   * The newest 1,000 muted topics of each user, in the order of muting, without those of channels that the user may not see:
   * one statement.
   */
  async listMuted(session: Session, userIds: readonly number[]): Promise<TopicMutes[]> {
    return session.query<TopicMutes>('list_muted_topics', LIST_MUTED, [userIds, MAX_MUTED]);
  }

  /** Resolves with the new setting; with null if it was the same before. */
  async set(
    transaction: Transaction,
    { userId, realmId }: { readonly userId: number; readonly realmId: number },
    { channelId, topic, visibility }: TopicPlace & { readonly visibility: TopicVisibility },
    limit: number,
  ): Promise<UserTopic | null | 'list is full'> {
    await this.#lock(transaction, realmId);
    const hasPlace = await lockAndCheckRoom(transaction, topicsOfUser, userId, limit);
    const place = [userId, channelId, topic];
    const values = [...place, visibility, hasPlace];
    const [row] = await transaction.query<UserTopic>('set_user_topic', SET, values);
    if (row !== undefined || hasPlace) return row ?? null;
    const known = await transaction.query('has_user_topic', EXISTS, place);
    return known.length > 0 ? null : 'list is full';
  }

  /** Removes the setting, or only a certain one. Null when the user has none. */
  async clear(
    transaction: Transaction,
    { userId, realmId }: { readonly userId: number; readonly realmId: number },
    { channelId, topic }: TopicPlace,
    only: TopicVisibility | null = null,
  ): Promise<UserTopic | null> {
    await this.#lock(transaction, realmId);
    await lockList(transaction, topicsOfUser, userId);
    const values = [userId, channelId, topic, only];
    const [row] = await transaction.query<UserTopic>('clear_user_topic', CLEAR, values);
    return row ?? null;
  }

  /** Blocks all changes in the organisation until the end of the transaction. */
  async lockAll(transaction: Transaction, realmId: number): Promise<void> {
    await lockList(transaction, topicsOfRealm, realmId);
  }

  /**
   * Moves the settings of all users for a topic with its messages, and resolves with the changes. If the new topic had
   * messages, a user keeps the setting that shows more; a muted topic stays muted only if the user had muted both. All
   * settings must be locked.
   */
  async move(
    transaction: Transaction,
    { from, to, messageIds, isMerge }: TopicMove,
  ): Promise<UserTopicChange[]> {
    const values = [from.channelId, from.topic, to.channelId, to.topic, isMerge, messageIds];
    return transaction.query<UserTopicChange>('move_user_topics', MOVE, values);
  }

  /** The accounts with a setting for one of the topics. */
  async concerned(transaction: Transaction, places: readonly TopicPlace[]): Promise<number[]> {
    const rows = await transaction.query<{ id: number }>('concerned_by_topics', CONCERNED, [
      places.map(({ channelId }) => channelId),
      places.map(({ topic }) => topic),
    ]);
    return rows.map(({ id }) => id);
  }

  /** Lets other users change their settings, but no topic move. */
  async #lock(transaction: Transaction, realmId: number): Promise<void> {
    const name = `${topicsOfRealm.table}:${realmId}`;
    await transaction.query('share_user_topics', LOCK_SHARED, [name]);
  }
}
