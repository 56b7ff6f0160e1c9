import type { PresenceTiming } from '#contracts';
import type { Clock } from '#core';
import type { Database } from '#database';
import { hiddenTimes } from '../read/presence-picture.rules.js';
import { latestAcceptedAt, timesUpTo } from '../state/clock.rules.js';
import type { PresenceEntry } from '../state/presence-entry.js';

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

// The id decides, not greatest(): going invisible moves times down, and only the order of the ids says
// which of two writers came last. It makes replays and two processes writing one user harmless. Users
// that are gone are left out: their foreign key would fail the whole statement. A row whose id is more than a day
// ahead was written by a wrong clock while Redis was away, and no later change would ever replace it.
const UPSERT = `
  INSERT INTO user_presence (user_id, realm_id, active_at, idle_at, update_id)
  SELECT seen.* FROM unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::bigint[])
    AS seen (user_id, realm_id, active_at, idle_at, update_id)
  WHERE EXISTS (SELECT 1 FROM users WHERE users.id = seen.user_id)
  ON CONFLICT (user_id) DO UPDATE
    SET active_at = excluded.active_at, idle_at = excluded.idle_at, update_id = excluded.update_id
    WHERE user_presence.update_id < excluded.update_id
       OR user_presence.update_id > excluded.update_id + 86400000000`;

/** Everyone's last seen, which outlives Redis. */
export class UserPresenceRepository {
  constructor(
    private readonly database: Database,
    private readonly timing: PresenceTiming,
    private readonly clock: Clock,
  ) {}

  /**
   * Users who share no presence were seen long ago, also where it has not been written that they hid. Times that a wrong
   * clock has set ahead are reduced.
   */
  async loadRealm(realmId: number): Promise<PresenceEntry[]> {
    const nowSeconds = this.clock() / 1000;
    const rows = await this.database.query<Row>('presence-load-realm', SELECT_REALM, [realmId]);
    return rows.map((row) => {
      // When the user hid is not kept: a report that was under way then is long over after a restart.
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
    // In one order everywhere, so that two processes that write the same users cannot deadlock.
    const rows = seen.toSorted((a, b) => a.entry.userId - b.entry.userId);
    await this.database.query('presence-save', UPSERT, [
      rows.map(({ entry }) => entry.userId),
      rows.map(({ realmId }) => realmId),
      rows.map(({ entry }) => (entry.activeAt === 0 ? null : entry.activeAt)),
      rows.map(({ entry }) => entry.idleAt),
      rows.map(({ entry }) => String(entry.id)),
    ]);
  }
}
