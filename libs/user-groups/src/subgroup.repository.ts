import { Injectable } from '@nestjs/common';
import { Database, type Prisma } from '#database';
import type { SubgroupSituation, WantedSubgroups } from './subgroup-change.rules.js';

/** Longer than a connection or a statement is waited for, so that theirs is the error that is seen. */
const PATIENCE = { maxWait: 10_000, timeout: 20_000 };

/** A group whose subgroups are to change, and the organisation that it belongs to. */
interface Supergroup {
  readonly realmId: number;
  readonly groupId: number;
}

interface SituationRow {
  id: number;
  is_deactivated: boolean;
  is_subgroup: boolean;
}

/** Which groups hold which. */
@Injectable()
export class SubgroupRepository {
  constructor(private readonly database: Database) {}

  /**
   * Changes the direct subgroups of a group as `plan` says, all or nothing. The changes of an organisation
   * take turns: what `plan` is told still holds when its result is written. Rejects with what it throws.
   */
  async change(
    supergroup: Supergroup,
    wanted: WantedSubgroups,
    plan: (situation: SubgroupSituation) => WantedSubgroups,
  ): Promise<void> {
    await this.database.prisma.$transaction(async (transaction) => {
      // A statement of its own: one that waited for its turn would see what was stored before it waited.
      await transaction.$queryRaw`
        SELECT id FROM realms WHERE id = ${supergroup.realmId} FOR NO KEY UPDATE`;
      const { add, remove } = plan(await situationOf(transaction, supergroup, wanted));
      await transaction.$executeRaw`
        WITH added AS (
          INSERT INTO user_group_subgroups (supergroup_id, subgroup_id)
          SELECT ${supergroup.groupId}, unnest(${add}::int[])
        )
        DELETE FROM user_group_subgroups
        WHERE supergroup_id = ${supergroup.groupId} AND subgroup_id = ANY(${remove}::int[])`;
    }, PATIENCE);
  }
}

async function situationOf(
  transaction: Prisma.TransactionClient,
  { realmId, groupId }: Supergroup,
  { add, remove }: WantedSubgroups,
): Promise<SubgroupSituation> {
  const rows = await transaction.$queryRaw<SituationRow[]>`
    SELECT g.id, g.deactivated_at IS NOT NULL AS is_deactivated, s.subgroup_id IS NOT NULL AS is_subgroup
    FROM user_groups g
    LEFT JOIN user_group_subgroups s ON s.supergroup_id = ${groupId} AND s.subgroup_id = g.id
    WHERE g.id = ANY(${[...add, ...remove]}::int[]) AND g.realm_id = ${realmId} AND g.name IS NOT NULL`;
  const above = await transaction.$queryRaw<{ would_close: boolean }[]>`
    WITH RECURSIVE above (id) AS (
      SELECT ${groupId}::int
      UNION
      SELECT s.supergroup_id FROM user_group_subgroups s JOIN above ON s.subgroup_id = above.id
    )
    SELECT EXISTS (SELECT 1 FROM above WHERE id = ANY(${[...add]}::int[])) AS would_close`;
  return {
    groups: new Map(
      rows.map(({ id, is_deactivated, is_subgroup }) => [
        id,
        { isDeactivated: is_deactivated, isSubgroup: is_subgroup },
      ]),
    ),
    wouldClose: above.some(({ would_close }) => would_close),
  };
}
