import { Injectable } from '@nestjs/common';
import type { Session } from '#platform/database';

const SELECT = `SELECT can_add_subscribers_id AS "groupId" FROM realms WHERE id = $1`;

/** The permissions of an organisation that concern its channels. */
@Injectable()
export class RealmPermissionRepository {
  /** The group that may subscribe others to any channel that it may read; null for all members. */
  async addSubscribersGroup(session: Session, realmId: number): Promise<number | null> {
    const [row] = await session.query<{ groupId: number | null }>('may_add_subscribers', SELECT, [
      realmId,
    ]);
    return row?.groupId ?? null;
  }
}
