import type { PresenceTiming } from '#contracts';
import { withinDeadline } from '#core';
import type { PresenceCounters } from '../presence-counters.js';
import type { PresenceStore, RealmSnapshot } from '../redis/presence.store.js';
import { timesUpTo } from '../state/clock.rules.js';
import type { PresenceEntry } from '../state/presence-entry.js';
import { combineSources, lostEntries } from '../state/reconcile.rules.js';

/** What a realm needs of PostgreSQL: everyone's last seen. Rejects when PostgreSQL is away. */
export type LoadLastSeen = (realmId: number) => Promise<PresenceEntry[]>;

/** What a process knows of a realm besides the state in Redis. */
export interface KnownState {
  /** The entries of the mirror; null without a mirror that was read from Redis. */
  readonly mirrored: Iterable<PresenceEntry> | null;
  /** Changes that Redis has accepted and that the mirror does not have yet. */
  readonly ahead: Iterable<PresenceEntry>;
}

/** A snapshot that has everything known, and the highest id that had been served before it was read. */
export interface SettledSnapshot {
  readonly snapshot: RealmSnapshot;
  readonly servedId: number;
}

/** PostgreSQL delays the reading of a realm by at most this where the mirror can do instead. */
const MOST_SAVED_WAIT_MS = 500;

/** Restoring races with other processes; more rounds than this mean that something else is wrong. */
const MOST_ROUNDS = 5;

/** Reads one realm from Redis, and first restores there what Redis has lost. */
export class RealmLoader {
  constructor(
    private readonly realmId: number,
    private readonly store: PresenceStore,
    private readonly loadLastSeen: LoadLastSeen,
    private readonly counters: PresenceCounters,
    private readonly timing: PresenceTiming,
  ) {}

  /**
   * All that can be vouched for: of this process and, with `isLastSeenWanted`, of PostgreSQL. Only PostgreSQL has what
   * was accepted by a process that stopped before the others had it. Null when this process knows nothing and
   * PostgreSQL is away.
   */
  async known(
    { mirrored, ahead }: KnownState,
    isLastSeenWanted: boolean,
  ): Promise<PresenceEntry[] | null> {
    const saved = isLastSeenWanted ? await this.#lastSeen(mirrored !== null) : [];
    if (mirrored === null && saved === null) return null;
    return combineSources([saved ?? [], mirrored ?? [], ahead], this.timing);
  }

  /** Rejects when Redis is away, and when neither Redis nor `known` has the realm. */
  async settle(
    known: readonly PresenceEntry[] | null,
    servedIdNow: () => number,
  ): Promise<SettledSnapshot> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      // Read before the snapshot: what is served while that is under way is above it, and rightly so.
      const servedId = servedIdNow();
      const snapshot = await this.store.readSnapshot(this.realmId);
      const lost = this.#lostOf(known, snapshot);
      if (snapshot !== null && lost.length === 0) return { snapshot, servedId };
      this.counters.restored += lost.length;
      await this.store.restore(this.realmId, servedId, lost);
    }
    throw new Error('The realm does not settle');
  }

  /** Times ahead of the clock are compared as Redis would store them, or they would be restored again and again. */
  #lostOf(
    known: readonly PresenceEntry[] | null,
    snapshot: RealmSnapshot | null,
  ): readonly PresenceEntry[] {
    if (snapshot !== null) {
      const acceptable = (known ?? []).map((entry) => timesUpTo(entry, snapshot.latest));
      return lostEntries(acceptable, snapshot.entries, this.timing);
    }
    if (known === null) throw new Error('Neither Redis nor PostgreSQL has the realm');
    return known;
  }

  /** Null when PostgreSQL is away. */
  #lastSeen(hasMore: boolean): Promise<PresenceEntry[] | null> {
    const saved = this.loadLastSeen(this.realmId).catch(() => null);
    return hasMore ? withinDeadline(MOST_SAVED_WAIT_MS, saved, () => null) : saved;
  }
}
