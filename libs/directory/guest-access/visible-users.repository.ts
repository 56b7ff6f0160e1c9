import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

// A null group means that everyone may access all users.
const SELECT_ACCESS = `
  WITH RECURSIVE allowed (group_id) AS (
    SELECT can_access_all_users_group_id FROM realms
    WHERE id = $1 AND can_access_all_users_group_id IS NOT NULL
    UNION
    SELECT s.subgroup_id FROM user_group_subgroups s JOIN allowed ON s.supergroup_id = allowed.group_id
  )
  SELECT NOT EXISTS (SELECT 1 FROM allowed)
      OR EXISTS (SELECT 1 FROM user_group_direct_members m JOIN allowed USING (group_id) WHERE m.user_id = $2)
    AS sees_everyone`;

const SELECT_SHARING = `
  SELECT theirs.user_id
  FROM subscriptions own JOIN subscriptions theirs USING (channel_id)
  WHERE own.user_id = $1 AND own.is_active AND theirs.is_active
  UNION
  SELECT theirs.user_id
  FROM direct_conversation_members own JOIN direct_conversation_members theirs USING (conversation_id)
  WHERE own.user_id = $1`;

const SELECT_HIDDEN = `
  WITH RECURSIVE asked AS (
    SELECT pair.viewer_id, pair.other_id, viewer.realm_id
    FROM unnest($1::int[], $2::int[]) AS pair (viewer_id, other_id)
    JOIN users viewer ON viewer.id = pair.viewer_id
  ),
  allowed (realm_id, group_id) AS (
    SELECT id, can_access_all_users_group_id FROM realms
    WHERE id IN (SELECT realm_id FROM asked) AND can_access_all_users_group_id IS NOT NULL
    UNION
    SELECT allowed.realm_id, s.subgroup_id
    FROM user_group_subgroups s JOIN allowed ON s.supergroup_id = allowed.group_id
  )
  SELECT viewer_id, other_id FROM asked
  WHERE EXISTS (SELECT 1 FROM allowed WHERE allowed.realm_id = asked.realm_id)
    AND NOT EXISTS (
      SELECT 1 FROM user_group_direct_members m JOIN allowed USING (group_id) WHERE m.user_id = viewer_id
    )
    AND NOT EXISTS (
      SELECT 1 FROM subscriptions own JOIN subscriptions theirs USING (channel_id)
      WHERE own.user_id = viewer_id AND own.is_active
        AND theirs.user_id = other_id AND theirs.is_active
    )
    AND NOT EXISTS (
      SELECT 1
      FROM direct_conversation_members own JOIN direct_conversation_members theirs USING (conversation_id)
      WHERE own.user_id = viewer_id AND theirs.user_id = other_id
    )`;

/** A guest and another account. */
export interface VisibilityPair {
  readonly viewerId: number;
  readonly otherId: number;
}

/** Reads which accounts a guest may see. */
@Injectable()
export class VisibleUsersRepository {
  constructor(private readonly database: Database) {}

  /** Whether a user may access all users: as a member of the group for it, also through subgroups. */
  async seesEveryone(realmId: number, userId: number): Promise<boolean> {
    const [row] = await this.database.query<{ sees_everyone: boolean }>(
      'sees_everyone',
      SELECT_ACCESS,
      [realmId, userId],
    );
    return row?.sees_everyone === true;
  }

  /** The ids of the accounts that share an active channel subscription or a direct conversation with a user. */
  async sharingWith(userId: number): Promise<number[]> {
    const rows = await this.database.query<{ user_id: number }>('sharing_with', SELECT_SHARING, [
      userId,
    ]);
    return rows.map((row) => row.user_id);
  }

  /** The pairs in which the guest may not see the other account: one statement for all pairs. */
  async hiddenAmong(pairs: readonly VisibilityPair[]): Promise<VisibilityPair[]> {
    const rows = await this.database.query<{ viewer_id: number; other_id: number }>(
      'hidden_users',
      SELECT_HIDDEN,
      [pairs.map(({ viewerId }) => viewerId), pairs.map(({ otherId }) => otherId)],
    );
    return rows.map((row) => ({ viewerId: row.viewer_id, otherId: row.other_id }));
  }
}
