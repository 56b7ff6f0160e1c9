import { Injectable } from '@nestjs/common';
import type { TopicPlace } from '#chat/user-topics';
import { directMembersOf } from '#directory/groups';
import { roles } from '#directory/roles';
import { Database, type Session } from '#platform/database';
import type { MentionNames } from '#platform/markdown';
import type { RealmAccount } from '#platform/contracts';

/** An object that a name in a message refers to. */
export interface MentionName {
  readonly kind: 'user' | 'group' | 'channel';
  /** As the message gives it. */
  readonly name: string;
  /** As the object is called. */
  readonly ownName: string;
  readonly isActive: boolean;
  /** The id that the message gives beside the name of an account. */
  readonly givenId: number | null;
  readonly id: number;
}

/** SQL: how much a stored name is like a given one with the same key: 2 the same, 1 in another case, 0 in another spelling. */
const likeness = (stored: string, given: string): string =>
  `(${stored} = ${given})::int + (lower(${stored}) = lower(${given}))::int`;

// An id also finds the server's bots, which old messages mention. Only channels that the author may see are found.
const SELECT_NAMED = `
  WITH person AS (SELECT * FROM unnest($3::text[], $4::int[]) AS given (name, id))
  SELECT 'user' AS kind, person.name, person.id AS "givenId", u.id, u.full_name AS "ownName",
    u.is_active AS "isActive", ${likeness('u.full_name', 'person.name')} AS likeness
  FROM person JOIN users u ON u.realm_id = $1 AND name_key(u.full_name) = name_key(person.name)
  WHERE person.id IS NULL
  UNION ALL
  SELECT 'user', person.name, person.id, u.id, u.full_name, u.is_active, 2
  FROM person JOIN users u ON u.id = person.id
    AND (person.name = '' OR name_key(u.full_name) = name_key(person.name))
    AND (u.realm_id = $1 OR u.is_system_bot)
  UNION ALL
  SELECT 'group', given.name, NULL, g.id, g.name, g.deactivated_at IS NULL,
    ${likeness('g.name', 'given.name')}
  FROM unnest($5::text[]) AS given (name)
  JOIN user_groups g ON g.realm_id = $1 AND name_key(g.name) = name_key(given.name)
  UNION ALL
  SELECT 'channel', given.name, NULL, c.id, c.name, true, 2
  FROM unnest($6::text[]) AS given (name)
  JOIN channels c ON c.realm_id = $1 AND c.name = given.name
  JOIN users author ON author.id = $2
  WHERE c.is_web_public OR NOT c.is_private AND author.role < $7
    OR EXISTS (
      SELECT 1 FROM subscriptions s
      WHERE s.channel_id = c.id AND s.user_id = author.id AND s.is_active
    )
  ORDER BY "isActive" DESC, likeness DESC, id`;

const SELECT_MEMBERS = `
  WITH RECURSIVE contained (called_id, group_id) AS (
    SELECT called_id, called_id FROM unnest($1::int[]) AS called (called_id)
    UNION
    SELECT contained.called_id, s.subgroup_id
    FROM user_group_subgroups s JOIN contained ON s.supergroup_id = contained.group_id
  )
  SELECT DISTINCT contained.called_id AS "groupId", m.user_id AS "userId"
  FROM contained CROSS JOIN LATERAL ${directMembersOf('contained.group_id')} AS m`;

const SELECT_MENTIONING_GROUPS = `
  SELECT id::bigint, rendered FROM messages
  WHERE id = ANY($1::bigint[]) AND rendered LIKE '%data-user-group-id=%'`;

/** A mention of a topic reads at most this many of its newest messages, and at most this many reactions to these. */
const MAX_PARTICIPATIONS = 10_000;

// Only the index of topics has this order. With equations instead of a range, PostgreSQL might read the messages of all topics
// from the newest one on. OFFSET 0 keeps PostgreSQL from joining the reactions to all messages.
const SELECT_PARTICIPANTS = `
  WITH recent AS MATERIALIZED (
    SELECT id, sender_id FROM messages
    WHERE (channel_id, lower(topic), id) >= ($1::int, lower($2::text), 0::bigint)
      AND (channel_id, lower(topic), id) <= ($1::int, lower($2::text), ${Number.MAX_SAFE_INTEGER}::bigint)
    ORDER BY channel_id DESC, lower(topic) DESC, id DESC LIMIT ${MAX_PARTICIPATIONS}
  )
  SELECT sender_id AS id FROM recent
  UNION
  (
    SELECT reaction.user_id FROM recent CROSS JOIN LATERAL (
      SELECT user_id FROM message_reactions WHERE message_id = recent.id OFFSET 0
    ) AS reaction LIMIT ${MAX_PARTICIPATIONS}
  )`;

// Files of these types that clients show without a thumbnail.
const SELECT_SHOWN_FILES = `
  SELECT path_id AS path FROM attachments
  WHERE realm_id = $1 AND path_id = ANY($2::text[])
    AND content_type = ANY('{
      image/png,image/jpeg,image/gif,image/webp,image/bmp,video/mp4,video/webm,
      audio/aac,audio/flac,audio/x-flac,audio/mp4,audio/x-m4a,audio/mpeg,audio/mp3,audio/ogg,audio/opus,
      audio/wav,audio/x-wav,audio/wave,audio/vnd.wave
    }')`;

const SELECT_EMOTICONS = `
  SELECT 1 FROM users WHERE id = $1 AND (display_settings -> 'translate_emoticons')::text = 'true'`;

/** A member of a mentioned group. */
export interface GroupMember {
  readonly groupId: number;
  readonly userId: number;
}

/** Looks up the names in messages. */
@Injectable()
export class MentionRepository {
  constructor(private readonly database: Database) {}

  /**
   * The objects of the organisation with these names, without channels that the author cannot see: one statement for
   * all names. Active ones come first, of these those with the most alike spelling, and of these the oldest.
   */
  async find(
    author: RealmAccount,
    { users, groups, channels }: Omit<MentionNames, 'topics'>,
  ): Promise<MentionName[]> {
    return this.database.query<MentionName>('named_in_message', SELECT_NAMED, [
      author.realmId,
      author.userId,
      users.map(({ fullName }) => fullName),
      users.map(({ id }) => id ?? null),
      groups,
      channels,
      roles.guest,
    ]);
  }

  /** The members of the groups, including those of subgroups; one row for each group and member. */
  async membersOf(
    groupIds: readonly number[],
    session: Session = this.database,
  ): Promise<GroupMember[]> {
    return session.query<GroupMember>('group_members', SELECT_MEMBERS, [groupIds]);
  }

  /** Those of the messages that mention a group, with their HTML. */
  async mentioningGroups(
    messageIds: readonly number[],
    session: Session,
  ): Promise<{ readonly id: number; readonly rendered: string }[]> {
    return session.query('messages_mentioning_groups', SELECT_MENTIONING_GROUPS, [messageIds]);
  }

  /** The accounts that have sent one of the newest 10,000 messages of a topic, or added one of 10,000 reactions to these. */
  async participantsOf({ channelId, topic }: TopicPlace): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      'participants_of_topic',
      SELECT_PARTICIPANTS,
      [channelId, topic],
    );
    return rows.map(({ id }) => id);
  }

  /** Those of the paths of uploaded files that are pictures, videos or sounds. */
  async shownFiles({ realmId }: RealmAccount, paths: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ path: string }>('shown_files', SELECT_SHOWN_FILES, [
      realmId,
      paths,
    ]);
    return rows.map(({ path }) => path);
  }

  /** Whether an account wants emoticons to become emoji. */
  async wantsEmoticons({ userId }: RealmAccount): Promise<boolean> {
    return (await this.database.query('wants_emoticons', SELECT_EMOTICONS, [userId])).length > 0;
  }

  /** The groups with their permission to mention them; null for the default. */
  async mentionPermissions(groupIds: readonly number[]): Promise<MentionableGroup[]> {
    const rows = await this.database.prisma.userGroup.findMany({
      where: { id: { in: [...groupIds] } },
      select: { name: true, isSystem: true, canMentionId: true },
      orderBy: { id: 'asc' },
    });
    return rows.map(({ name, ...group }) => ({ ...group, name: name ?? '' }));
  }
}

/** A group, and the group that may mention it. */
interface MentionableGroup {
  readonly name: string;
  readonly isSystem: boolean;
  readonly canMentionId: number | null;
}
