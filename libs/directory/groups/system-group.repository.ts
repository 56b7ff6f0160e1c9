import { Injectable } from '@nestjs/common';
import { Database, type Session, type Transaction } from '#platform/database';
import { LRUCache } from 'lru-cache';
import { type SystemGroupName, systemGroups } from './system-groups.js';

/** The ids of the system groups of an organisation. */
export type SystemGroupIds = Readonly<Record<SystemGroupName, number>>;

// Ids ascend in the order of `systemGroups`.
const CREATE = `
  WITH given AS (
    SELECT * FROM unnest($2::text[], $3::text[], $4::text[])
      WITH ORDINALITY AS given (name, description, subgroup, place)
  ), created AS (
    INSERT INTO user_groups (realm_id, name, description, is_system)
    SELECT $1, name, description, true FROM given ORDER BY place
    RETURNING id, name
  ), subgroups AS (
    INSERT INTO user_group_subgroups (supergroup_id, subgroup_id)
    SELECT created.id, sub.id
    FROM given JOIN created USING (name) JOIN created sub ON sub.name = given.subgroup
  )
  SELECT id, name FROM created`;

const IDS = `SELECT id, name FROM user_groups WHERE realm_id = $1 AND is_system LIMIT 1000`;

const MAX_CACHED_REALMS = 10_000;

/** Caches the ids of system groups, which never change. */
@Injectable()
export class SystemGroupRepository {
  readonly #ids = new LRUCache<number, SystemGroupIds, Session>({
    max: MAX_CACHED_REALMS,
    fetchMethod: (realmId, _known, { context }) => this.#read(realmId, context),
  });

  constructor(private readonly database: Database) {}

  /** The ids of the system groups of an organisation. Rejects if one is missing. */
  async idsOf(realmId: number, session: Session = this.database): Promise<SystemGroupIds> {
    return this.#ids.forceFetch(realmId, { context: session });
  }

  async #read(realmId: number, session: Session): Promise<SystemGroupIds> {
    const groups = await session.query<{ id: number; name: string | null }>('system_groups', IDS, [
      realmId,
    ]);
    return systemGroupIdsIn(realmId, groups);
  }
}

/** The ids of the system groups among the groups of an organisation. Throws if one is missing. */
export function systemGroupIdsIn(
  realmId: number,
  groups: readonly { readonly id: number; readonly name: string | null }[],
): SystemGroupIds {
  const byName = new Map(groups.map(({ id, name }) => [name, id]));
  const ids = systemGroups.map(({ name }): [SystemGroupName, number] => {
    const id = byName.get(name);
    if (id === undefined) throw new Error(`Organisation ${realmId} has no group ${name}`);
    return [name, id];
  });
  return Object.fromEntries(ids) as SystemGroupIds;
}

/** Creates the system groups of a new organisation, in the transaction that creates the organisation. */
export async function createSystemGroups(
  transaction: Transaction,
  realmId: number,
): Promise<SystemGroupIds> {
  const rows = await transaction.query<{ id: number; name: SystemGroupName }>(
    'create_system_groups',
    CREATE,
    [
      realmId,
      systemGroups.map(({ name }) => name),
      systemGroups.map(({ description }) => description),
      systemGroups.map(({ subgroup }) => subgroup),
    ],
  );
  // The statement returns one row per group.
  return Object.fromEntries(rows.map(({ name, id }) => [name, id])) as SystemGroupIds;
}
