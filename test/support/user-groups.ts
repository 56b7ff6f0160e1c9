import type { Organisation } from './organisation.js';
import type { System } from './start-system.js';

/** The properties of a group that a test may set. */
interface GroupTraits {
  /** Null makes an anonymous group, which holds the members of a single permission. */
  readonly name?: string | null;
  readonly description?: string;
  readonly creatorId?: number;
  readonly createdAt?: Date;
  readonly deactivatedAt?: Date;
  readonly members?: readonly number[];
  readonly subgroups?: readonly number[];
  readonly canAddMembersId?: number;
  readonly canJoinId?: number;
  readonly canLeaveId?: number;
  readonly canManageId?: number;
  readonly canMentionId?: number;
  readonly canRemoveMembersId?: number;
}

let groups = 0;

/** Adds a group to an organisation; resolves with its id. */
export async function addGroup(
  system: System,
  organisation: Organisation,
  { members = [], subgroups = [], ...traits }: GroupTraits = {},
): Promise<number> {
  groups += 1;
  const { id } = await system.database.database.prisma.userGroup.create({
    data: {
      realmId: organisation.id,
      name: `group ${groups}`,
      members: { create: members.map((userId) => ({ userId })) },
      subgroups: { create: subgroups.map((subgroupId) => ({ subgroupId })) },
      ...traits,
    },
  });
  return id;
}

/** The ids of an organisation's system groups, by name. */
export async function systemGroupIds(
  system: System,
  organisation: Organisation,
): Promise<Readonly<Record<string, number>>> {
  const found = await system.database.database.prisma.userGroup.findMany({
    where: { realmId: organisation.id, isSystem: true },
  });
  return Object.fromEntries(found.map(({ id, name }) => [name, id]));
}

/** The stored direct subgroups of a group. */
export async function subgroupsOf(system: System, supergroupId: number): Promise<number[]> {
  const rows = await system.database.database.prisma.userGroupSubgroup.findMany({
    where: { supergroupId },
    orderBy: { subgroupId: 'asc' },
  });
  return rows.map(({ subgroupId }) => subgroupId);
}
