import { Injectable } from '@nestjs/common';
import type { SeenTimes } from '#contracts';
import { Database } from '#database';
import type { SeenPerson } from './presence-picture.rules.js';

/** Somebody, and whether others are to see it: what is written may be from before they went invisible. */
export interface WrittenPerson extends SeenPerson {
  readonly sharesPresence: boolean;
}

interface Row {
  active_at: number | null;
  idle_at: number;
}

interface RealmRow extends Row {
  email: string;
  is_presence_enabled: boolean;
}

// Null of user ids stands for everyone.
const SELECT_REALM = `
  SELECT u.email, u.is_presence_enabled, p.active_at, p.idle_at
  FROM user_presence p JOIN users u ON u.id = p.user_id
  WHERE p.realm_id = $1 AND p.idle_at >= $2 AND u.is_active
    AND ($3::int[] IS NULL OR p.user_id = ANY ($3))
  ORDER BY p.user_id`;

const SELECT_USER = `
  SELECT active_at, idle_at FROM user_presence WHERE realm_id = $1 AND user_id = $2`;

/** Reads last seen, which trails what happens by a period of the write-behind. */
@Injectable()
export class LastSeenRepository {
  constructor(private readonly database: Database) {}

  /** Those in use who were seen at `seenSince` (UNIX seconds) or later; of `userIds` only, unless that is null. */
  async ofRealm(
    realmId: number,
    seenSince: number,
    userIds: ReadonlySet<number> | null,
  ): Promise<WrittenPerson[]> {
    const rows = await this.database.query<RealmRow>('last-seen-of-realm', SELECT_REALM, [
      realmId,
      Math.ceil(seenSince),
      userIds && [...userIds],
    ]);
    return rows.map((row) => ({
      email: row.email,
      sharesPresence: row.is_presence_enabled,
      ...timesOf(row),
    }));
  }

  /** Null of a user of whom nothing was ever reported. */
  async ofUser(realmId: number, userId: number): Promise<SeenTimes | null> {
    const [row] = await this.database.query<Row>('last-seen-of-user', SELECT_USER, [
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
