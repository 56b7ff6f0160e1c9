import { Injectable } from '@nestjs/common';
import { Database, type Prisma } from '#database';
import { LRUCache } from 'lru-cache';
import { type SystemGroupName, systemGroups } from './system-groups.js';

/** The ids of an organisation's system groups. */
export type SystemGroupIds = Readonly<Record<SystemGroupName, number>>;

const MOST_REALMS = 10_000;

/** Where the system groups are known by their ids, which never change. */
@Injectable()
export class SystemGroupRepository {
  readonly #ids = new LRUCache<number, SystemGroupIds>({
    max: MOST_REALMS,
    fetchMethod: (realmId) => this.#read(realmId),
  });

  constructor(private readonly database: Database) {}

  /** The ids of an organisation's system groups, read once. Rejects when it has not got all of them. */
  async idsOf(realmId: number): Promise<SystemGroupIds> {
    return this.#ids.forceFetch(realmId);
  }

  async #read(realmId: number): Promise<SystemGroupIds> {
    const groups = await this.database.prisma.userGroup.findMany({
      where: { realmId, isSystem: true },
      select: { id: true, name: true },
    });
    const byName = new Map(groups.map(({ id, name }) => [name, id]));
    const ids = systemGroups.map(({ name }): [SystemGroupName, number] => {
      const id = byName.get(name);
      if (id === undefined) throw new Error(`Organisation ${realmId} has no group ${name}`);
      return [name, id];
    });
    return Object.fromEntries(ids) as SystemGroupIds;
  }
}

/** Gives a new organisation its system groups, in the transaction that makes it. */
export async function createSystemGroups(
  transaction: Prisma.TransactionClient,
  realmId: number,
): Promise<SystemGroupIds> {
  const ids: Partial<Record<SystemGroupName, number>> = {};
  for (const { name, description, subgroup } of systemGroups) {
    const subgroupId = subgroup === null ? undefined : ids[subgroup];
    const { id } = await transaction.userGroup.create({
      data: {
        realmId,
        name,
        description,
        isSystem: true,
        ...(subgroupId !== undefined && { subgroups: { create: { subgroupId } } }),
      },
    });
    ids[name] = id;
  }
  return ids as SystemGroupIds;
}
