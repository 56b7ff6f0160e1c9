import type { PresenceTiming } from '#platform/contracts';
import type { Clock } from '#platform/core';
import type { Database } from '#platform/database';
import { hiddenTimes, latestAcceptedAt, type PresenceEntry, timesUpTo } from '#presence/rules';

interface Row {
  user_id: number;
  active_at: number | null;
  idle_at: number;
  joined_at: number;
  is_active: boolean;
  is_presence_enabled: boolean;
  update_id: number;
}

/** An entry and the realm it belongs to. */
export interface LastSeen {
  readonly realmId: number;
  readonly entry: PresenceEntry;
}

const SELECT_REALM = `
  SELECT p.user_id, p.active_at, p.idle_at, p.update_id, u.is_active, u.is_presence_enabled,
         extract(epoch FROM u.date_joined)::int AS joined_at
  FROM user_presence p JOIN users u ON u.id = p.user_id
  WHERE p.realm_id = $1`;

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

/** The last seen of all users. It survives the loss of Redis. */
export class UserPresenceRepository {
  constructor(
    private readonly database: Database,
    private readonly timing: PresenceTiming,
    private readonly clock: Clock,
  ) {}

  /**
   * Loads the entries of a realm. Invisible users get the times of invisible users, even if their last write was before they
   * went invisible. Times ahead of the clock are reduced.
   */
  async loadRealm(realmId: number): Promise<PresenceEntry[]> {
    const nowSeconds = this.clock() / 1000;
    const rows = await this.database.query<Row>('presence_load_realm', SELECT_REALM, [realmId]);
    return rows.map((row) => {
      // hiddenAt is not stored: no report from before it can be in flight after a restart.
      const written = { activeAt: row.active_at ?? 0, idleAt: row.idle_at, hiddenAt: 0 };
      const times = timesUpTo(written, latestAcceptedAt(nowSeconds));
      return {
        userId: row.user_id,
        ...times,
        ...(!row.is_presence_enabled && hiddenTimes(times, this.timing, nowSeconds)),
        joinedAt: row.joined_at,
        isDeactivated: !row.is_active,
        id: row.update_id,
      };
    });
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
