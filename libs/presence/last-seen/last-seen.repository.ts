import { Injectable } from '@nestjs/common';
import type { SeenTimes } from '#platform/contracts';
import { Database } from '#platform/database';
import type { SeenPerson } from '#presence/rules';

/** A user, and whether the user is visible: the times may be from before the user went invisible. */
export interface WrittenPerson extends SeenPerson {
  readonly userId: number;
  /** UNIX seconds. */
  readonly joinedAt: number;
  readonly sharesPresence: boolean;
}

interface Row {
  active_at: number | null;
  idle_at: number;
}

interface RealmRow extends Row {
  user_id: number;
  joined_at: number;
  email: string;
  is_presence_enabled: boolean;
}

// Null as user ids selects all users.
const SELECT_REALM = `
  SELECT p.user_id, u.email, u.is_presence_enabled, p.active_at, p.idle_at,
         extract(epoch FROM u.date_joined)::int AS joined_at
  FROM user_presence p JOIN users u ON u.id = p.user_id
  WHERE p.realm_id = $1 AND p.idle_at >= $2 AND u.is_active
    AND ($3::int[] IS NULL OR p.user_id = ANY ($3))
  ORDER BY p.user_id`;

const SELECT_USER = `
  SELECT active_at, idle_at FROM user_presence WHERE realm_id = $1 AND user_id = $2`;

/** Reads last seen. It is behind by up to one period of the write-behind. */
@Injectable()
export class LastSeenRepository {
  constructor(private readonly database: Database) {}

  /** Active accounts that were seen at `seenSince` (UNIX seconds) or later; only those in `userIds` unless it is null. */
  async ofRealm(
    realmId: number,
    seenSince: number,
    userIds: ReadonlySet<number> | null,
  ): Promise<WrittenPerson[]> {
    const rows = await this.database.query<RealmRow>('last_seen_of_realm', SELECT_REALM, [
      realmId,
      Math.ceil(seenSince),
      userIds && [...userIds],
    ]);
    return rows.map((row) => ({
      userId: row.user_id,
      email: row.email,
      joinedAt: row.joined_at,
      sharesPresence: row.is_presence_enabled,
      ...timesOf(row),
    }));
  }

  /** Null for a user without any report. */
  async ofUser(realmId: number, userId: number): Promise<SeenTimes | null> {
    const [row] = await this.database.query<Row>('last_seen_of_user', SELECT_USER, [
      realmId,
      userId,
    ]);
    return row ? timesOf(row) : null;
  }
}

const timesOf = ({ active_at, idle_at }: Row): SeenTimes => ({
  activeAt: active_at ?? 0,
  idleAt: idle_at,
});
