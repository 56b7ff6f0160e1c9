import { Injectable } from '@nestjs/common';
import type { SeenTimes } from '#presence/rpc';
import { Database } from '#platform/database';
import {
  clampTimes,
  hiddenTimes,
  latestAcceptedAt,
  type PresenceEntry,
  type PresenceTiming,
  type UserTimes,
} from '#presence/rules';

interface TimesRow {
  active_at: number | null;
  idle_at: number;
}

interface UserRow extends TimesRow {
  user_id: number;
  joined_at: number;
  is_presence_enabled: boolean;
}

/** An entry and the realm it belongs to. */
export interface LastSeen {
  readonly realmId: number;
  readonly entry: PresenceEntry;
}

/** A user, and whether the user is visible: the times may be from before the user went invisible. */
export interface LastSeenUser extends UserTimes {
  readonly userId: number;
  /** UNIX seconds. */
  readonly joinedAt: number;
  readonly sharesPresence: boolean;
}

const SELECT_ENTRIES = `
  SELECT p.user_id, p.active_at, p.idle_at, p.update_id, u.is_active, u.is_presence_enabled,
         extract(epoch FROM u.date_joined)::int AS joined_at
  FROM user_presence p JOIN users u ON u.id = p.user_id
  WHERE p.realm_id = $1`;

// Null as user ids selects all users.
const SELECT_USERS = `
  SELECT p.user_id, u.email, u.is_presence_enabled, p.active_at, p.idle_at,
         extract(epoch FROM u.date_joined)::int AS joined_at
  FROM user_presence p JOIN users u ON u.id = p.user_id
  WHERE p.realm_id = $1 AND p.idle_at >= $2 AND u.is_active
    AND ($3::int[] IS NULL OR p.user_id = ANY ($3))
  ORDER BY p.user_id`;

const SELECT_USER = `
  SELECT active_at, idle_at FROM user_presence WHERE realm_id = $1 AND user_id = $2`;

// Compares ids and not times: going invisible reduces times, and only the ids say which of two writers was last. Therefore
// replays and two writers of one user are harmless. Deleted users are omitted, because their foreign key would fail the
// whole statement. A row whose id is more than a day ahead was written with a wrong clock while Redis was unavailable; it is
// replaced, since no later change would have a higher id.
const UPSERT = `
  INSERT INTO user_presence (user_id, realm_id, active_at, idle_at, update_id)
  SELECT seen.* FROM unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::bigint[])
    AS seen (user_id, realm_id, active_at, idle_at, update_id)
  WHERE EXISTS (SELECT 1 FROM users WHERE users.id = seen.user_id)
  ON CONFLICT (user_id) DO UPDATE
    SET active_at = excluded.active_at, idle_at = excluded.idle_at, update_id = excluded.update_id
    WHERE user_presence.update_id < excluded.update_id
       OR user_presence.update_id > excluded.update_id + 86400000000`;

/** The last seen of all users. It survives the loss of Redis, and is behind by up to one period of the write-behind. */
@Injectable()
export class UserPresenceRepository {
  constructor(private readonly database: Database) {}

  /**
   * Loads the entries of a realm. Invisible users get the times of invisible users, even if their last write was before they
   * went invisible. Times ahead of the clock are reduced.
   */
  async loadRealm(
    realmId: number,
    timing: PresenceTiming,
    nowSeconds: number,
  ): Promise<PresenceEntry[]> {
    const rows = await this.database.query<UserRow & { is_active: boolean; update_id: number }>(
      'presence_load_realm',
      SELECT_ENTRIES,
      [realmId],
    );
    return rows.map((row) => {
      // hiddenAt is not stored: no report from before it can be in flight after a restart.
      const written = { activeAt: row.active_at ?? 0, idleAt: row.idle_at, hiddenAt: 0 };
      const times = clampTimes(written, latestAcceptedAt(nowSeconds));
      return {
        userId: row.user_id,
        ...times,
        ...(!row.is_presence_enabled && hiddenTimes(times, timing, nowSeconds)),
        joinedAt: row.joined_at,
        isDeactivated: !row.is_active,
        id: row.update_id,
      };
    });
  }

  /** Active accounts that were seen at `seenSince` (UNIX seconds) or later; only those in `userIds` unless it is null. */
  async readUsers(
    realmId: number,
    seenSince: number,
    userIds: ReadonlySet<number> | null,
  ): Promise<LastSeenUser[]> {
    const rows = await this.database.query<UserRow & { email: string }>(
      'last_seen_of_realm',
      SELECT_USERS,
      [realmId, Math.ceil(seenSince), userIds && [...userIds]],
    );
    return rows.map((row) => ({
      userId: row.user_id,
      email: row.email,
      joinedAt: row.joined_at,
      sharesPresence: row.is_presence_enabled,
      ...timesOf(row),
    }));
  }

  /** Null for a user without any report. */
  async readUser(realmId: number, userId: number): Promise<SeenTimes | null> {
    const [row] = await this.database.query<TimesRow>('last_seen_of_user', SELECT_USER, [
      realmId,
      userId,
    ]);
    return row ? timesOf(row) : null;
  }

  /** Writes at most one entry per user; a row that is already newer stays as it is. */
  async save(seen: readonly LastSeen[]): Promise<void> {
    // In a fixed order, so that two processes that write the same users cannot deadlock.
    const rows = seen.toSorted((a, b) => a.entry.userId - b.entry.userId);
    await this.database.query('presence_save', UPSERT, [
      rows.map(({ entry }) => entry.userId),
      rows.map(({ realmId }) => realmId),
      rows.map(({ entry }) => (entry.activeAt === 0 ? null : entry.activeAt)),
      rows.map(({ entry }) => entry.idleAt),
      rows.map(({ entry }) => String(entry.id)),
    ]);
  }
}

const timesOf = ({ active_at, idle_at }: TimesRow): SeenTimes => ({
  activeAt: active_at ?? 0,
  idleAt: idle_at,
});
