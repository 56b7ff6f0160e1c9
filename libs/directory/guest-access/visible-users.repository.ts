import { Injectable } from '@nestjs/common';
import { directGroupsOf } from '#directory/groups';
import { roles } from '#directory/roles';
import { Database, type Session } from '#platform/database';

// The groups whose members see everyone, of the organisation $1. A null group means that everyone may access all users.
const ALLOWED = `
  allowed (group_id) AS (
    SELECT can_access_all_users_group_id FROM realms
    WHERE id = $1 AND can_access_all_users_group_id IS NOT NULL
    UNION
    SELECT s.subgroup_id FROM user_group_subgroups s JOIN allowed ON s.supergroup_id = allowed.group_id
  )`;

const SELECT_ACCESS = `
  WITH RECURSIVE ${ALLOWED}
  SELECT NOT EXISTS (SELECT 1 FROM allowed)
      OR EXISTS (SELECT 1 FROM ${directGroupsOf('$2::int')} AS own JOIN allowed USING (group_id))
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
      SELECT 1 FROM ${directGroupsOf('asked.viewer_id')} AS own JOIN allowed USING (group_id)
    )
    AND NOT EXISTS (
      SELECT 1 FROM subscriptions own JOIN subscriptions theirs USING (channel_id)
      WHERE own.user_id = viewer_id AND own.is_active AND own.channel_id <> ALL($3::int[])
        AND theirs.user_id = other_id AND theirs.is_active
    )
    AND NOT EXISTS (
      SELECT 1
      FROM direct_conversation_members own JOIN direct_conversation_members theirs USING (conversation_id)
      WHERE own.user_id = viewer_id AND own.conversation_id <> ALL($4::int[])
        AND theirs.user_id = other_id
    )`;

// Guests are rows only in an organisation that limits them.
const SELECT_GUESTS_NOT_SEEING = `
  WITH RECURSIVE ${ALLOWED},
  limited AS MATERIALIZED (
    SELECT guest.id FROM users guest
    WHERE guest.realm_id = $1 AND guest.role = ${roles.guest} AND guest.is_active
      AND EXISTS (SELECT FROM allowed)
      AND NOT EXISTS (
        SELECT FROM ${directGroupsOf('guest.id')} AS own JOIN allowed USING (group_id)
      )
  )
  SELECT other.id AS "userId", array_agg(limited.id ORDER BY limited.id) AS "guestIds"
  FROM unnest($2::int[]) AS other (id) JOIN limited ON limited.id <> other.id
  WHERE NOT EXISTS (
      SELECT FROM subscriptions own JOIN subscriptions theirs USING (channel_id)
      WHERE own.user_id = limited.id AND own.is_active
        AND theirs.user_id = other.id AND theirs.is_active
    )
    AND NOT EXISTS (
      SELECT
      FROM direct_conversation_members own JOIN direct_conversation_members theirs USING (conversation_id)
      WHERE own.user_id = limited.id AND theirs.user_id = other.id
    )
  GROUP BY other.id`;

const SELECT_GUESTS_SEEING = `
  WITH RECURSIVE ${ALLOWED}
  SELECT ARRAY(
    SELECT guest.id FROM users guest
    WHERE guest.realm_id = $1 AND guest.role = ${roles.guest} AND guest.is_active AND (
      NOT EXISTS (SELECT FROM allowed)
      OR EXISTS (SELECT FROM ${directGroupsOf('guest.id')} AS own JOIN allowed USING (group_id))
    )
  ) AS "guestIds"
  WHERE $2::int IS NULL OR EXISTS (SELECT FROM allowed WHERE group_id = $2)`;

const SELECT_IS_LIMITED = `SELECT FROM realms WHERE id = $1 AND can_access_all_users_group_id IS NOT NULL`;

const SELECT_SUBDOMAIN = `SELECT subdomain FROM realms WHERE id = $1`;

/** A guest and another account. */
export interface VisibilityPair {
  readonly viewerId: number;
  readonly otherId: number;
}

/** The places that a guest shares with the accounts that the guest may see. */
export interface SharedPlaces {
  readonly channelIds?: readonly number[];
  readonly conversationIds?: readonly number[];
}

/** Reads which accounts a guest may see. */
@Injectable()
export class VisibleUsersRepository {
  constructor(private readonly database: Database) {}

  /** The ids of the accounts that a guest may see; null for all accounts. */
  async visibleTo(
    { realmId, userId }: { readonly realmId: number; readonly userId: number },
    session: Session = this.database,
  ): Promise<ReadonlySet<number> | null> {
    if (await this.#seesEveryone(realmId, userId, session)) return null;
    return new Set([userId, ...(await this.#sharingWith(userId, session))]);
  }

  /** Whether a user may access all users: as a member of the group for it, also through subgroups. */
  async #seesEveryone(realmId: number, userId: number, session: Session): Promise<boolean> {
    const [row] = await session.query<{ sees_everyone: boolean }>('sees_everyone', SELECT_ACCESS, [
      realmId,
      userId,
    ]);
    return row?.sees_everyone === true;
  }

  /** The ids of the accounts that share an active channel subscription or a direct conversation with a user. */
  async #sharingWith(userId: number, session: Session): Promise<number[]> {
    const rows = await session.query<{ user_id: number }>('sharing_with', SELECT_SHARING, [userId]);
    return rows.map((row) => row.user_id);
  }

  /**
   * The pairs in which the guest cannot see the other account: one statement for all pairs. Shared places that are given do
   * not count.
   */
  async hiddenAmong(
    pairs: readonly VisibilityPair[],
    session: Session = this.database,
    { channelIds = [], conversationIds = [] }: SharedPlaces = {},
  ): Promise<VisibilityPair[]> {
    const rows = await session.query<{ viewer_id: number; other_id: number }>(
      'hidden_users',
      SELECT_HIDDEN,
      [
        pairs.map(({ viewerId }) => viewerId),
        pairs.map(({ otherId }) => otherId),
        channelIds,
        conversationIds,
      ],
    );
    return rows.map((row) => ({ viewerId: row.viewer_id, otherId: row.other_id }));
  }

  /**
   * The active guests of an organisation that cannot see an account, in ascending order, by the id of the account. The
   * result omits accounts that everyone may see: one statement for all accounts.
   */
  async guestsNotSeeing(
    realmId: number,
    userIds: readonly number[],
    session: Session = this.database,
  ): Promise<Map<number, readonly number[]>> {
    const rows = await session.query<{ userId: number; guestIds: number[] }>(
      'guests_not_seeing',
      SELECT_GUESTS_NOT_SEEING,
      [realmId, userIds],
    );
    return new Map(rows.map(({ userId, guestIds }) => [userId, guestIds]));
  }

  /** The active guests that may see all accounts. Null for a given group whose members may not. */
  async guestsSeeingAllVia(
    realmId: number,
    groupId: number | null,
    session: Session,
  ): Promise<readonly number[] | null> {
    const values = [realmId, groupId];
    const [row] = await session.query<{ guestIds: number[] }>(
      'guests_seeing_everyone',
      SELECT_GUESTS_SEEING,
      values,
    );
    return row?.guestIds ?? null;
  }

  /**
   * Whether guests of an organisation may see only some accounts. An operator may change it at the same time: then an event
   * may reach a guest that saw the account until this moment.
   */
  async areGuestsLimited(realmId: number, session: Session): Promise<boolean> {
    const rows = await session.query('are_guests_limited', SELECT_IS_LIMITED, [realmId]);
    return rows.length > 0;
  }

  /** The subdomain of an organisation: the host of substitute identities. */
  async subdomainOf(realmId: number, session: Session): Promise<string> {
    const [row] = await session.query<{ subdomain: string }>(
      'subdomain_of_realm',
      SELECT_SUBDOMAIN,
      [realmId],
    );
    if (row === undefined) throw new Error(`There is no organisation ${realmId}`);
    return row.subdomain;
  }
}
