import { roles } from '#directory/roles';
import { groupBy } from '#platform/core';
import type { SystemGroupName } from './system-groups.js';

/** The role of the direct members of each system group. See `systemGroups`. */
const directRoles: readonly (readonly [SystemGroupName, number])[] = [
  ['role:owners', roles.owner],
  ['role:administrators', roles.administrator],
  ['role:moderators', roles.moderator],
  ['role:fullmembers', roles.member],
  ['role:members', roles.member],
  ['role:everyone', roles.guest],
];

/** SQL: the role of the direct members of `role_group`. */
const ROLE = `CASE role_group.name
          ${directRoles.map(([name, role]) => `WHEN '${name}' THEN ${role}`).join(' ')}
        END`;

/** SQL: the names of the groups that `role_account` can be a direct member of. */
const GROUP_NAMES = `CASE role_account.role
          ${[...groupBy(directRoles, ([, role]) => role)]
            .map(
              ([role, of]) => `WHEN ${role} THEN '{${of.map(([name]) => name).join(',')}}'::text[]`,
            )
            .join(' ')}
        END`;

/** SQL: whether a member has been in the organisation long enough for a system group. */
const HAS_WAITED = `(
        role_group.name <> 'role:fullmembers'
        OR role_account.date_joined <= now() - make_interval(days => role_realm.waiting_period_days)
      )`;

// Each part of a union has the condition. PostgreSQL would not apply one that follows the union to the join of a part: it
// would find the members of all groups of all organisations first.

/**
 * SQL: the direct members of a group as rows with `user_id`, `role` and `is_active`, to be joined with LATERAL. PostgreSQL
 * cannot estimate the number of accounts with a role; with OFFSET it looks them up by index in any case.
 */
export const directMembersOf = (groupId: string): string => `(
      SELECT account.id AS user_id, account.role, account.is_active
      FROM user_group_members stored JOIN users account ON account.id = stored.user_id
      WHERE stored.group_id = ${groupId}
      UNION ALL
      SELECT role_account.id, role_account.role, role_account.is_active
      FROM user_groups role_group
      JOIN realms role_realm ON role_realm.id = role_group.realm_id
      CROSS JOIN LATERAL (
        SELECT id, role, is_active, date_joined FROM users
        WHERE realm_id = role_group.realm_id AND role = ${ROLE}
        OFFSET 0
      ) AS role_account
      WHERE role_group.id = ${groupId} AND role_group.is_system AND ${HAS_WAITED}
    )`;

/** SQL: the groups that an account is a direct member of, as rows with `group_id`, to be joined with LATERAL. */
export const directGroupsOf = (userId: string): string => `(
      SELECT stored.group_id FROM user_group_members stored WHERE stored.user_id = ${userId}
      UNION ALL
      SELECT role_group.id
      FROM users role_account
      JOIN realms role_realm ON role_realm.id = role_account.realm_id
      JOIN user_groups role_group
        ON role_group.realm_id = role_account.realm_id AND role_group.name = ANY(${GROUP_NAMES})
      WHERE role_account.id = ${userId} AND role_group.is_system AND ${HAS_WAITED}
    )`;
